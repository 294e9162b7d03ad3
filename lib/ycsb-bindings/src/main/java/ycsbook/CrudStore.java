package ycsbook;

import site.ycsb.Status;

import java.util.List;
import java.util.Properties;

/**
 * The operations of {@link Crud} on one server; an instance per client thread. None throws: what fails is an ERROR.
 *
 * <p>YCSB hands a workload its database wrapped, with its own five operations alone. A store therefore makes itself
 * known to its thread when YCSB initialises it there.
 */
interface CrudStore {
  /** The store of this thread. */
  ThreadLocal<CrudStore> OF_THREAD = new ThreadLocal<>();

  /** The number of client threads. */
  static int threads(Properties properties) {
    return Integer.parseInt(properties.getProperty("threadcount", "1"));
  }

  /**
   * Opens the connections of all threads; called once, by a store that does nothing else.
   *
   * <p>YCSB's clock runs while its threads begin. Of a run of ten threads on one core the first two seconds had a tenth
   * of the later operations with MongoDB's driver, and half of them with MariaDB's: in a short run that would be compared.
   */
  void connectAll(Properties properties);

  /** Gives back what `connectAll` opened. */
  void disconnectAll();

  /** Inserts records together; where `ownKeys` is false the server or its driver makes the keys. */
  Status insert(List<CrudRecord> records, boolean ownKeys);

  Status findByKey(long key);

  /** The first records of an age, which has an index. */
  Status findByAge(int age, int limit);

  /** Records whose test1, which has an index, begins with the text. */
  Status findByPrefix(String text, int limit);

  /** Records whose test4, which has no index, contains the text. */
  Status findByPattern(String text, int limit);

  /** The first records of an age by a field: test2, with a compound index, or test3, without one. */
  Status findSorted(int age, String field, int limit);

  /** Sets test4 of the records with these keys, from included, to excluded. */
  Status update(long from, long to, String text);

  Status delete(long from, long to);
}
