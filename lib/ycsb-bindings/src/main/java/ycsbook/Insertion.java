package ycsbook;

import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.WorkloadException;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Inserts into an empty collection with secondary indexes, and now and then reads a range of one: what iibench measures.
 *
 * <table>
 * <caption>Properties</caption>
 * <tr><td>insertion.together</td><td>records per insert</td></tr>
 * <tr><td>insertion.perquery</td><td>records between two queries, a multiple of those per insert; 0: no queries</td></tr>
 * <tr><td>insertion.indexes</td><td>secondary indexes, 0 to 3</td></tr>
 * <tr><td>fieldcount, fieldlength</td><td>texts that a record has besides, and their length</td></tr>
 * </table>
 *
 * <p>The operations are numbered over all threads, so that after so many of them the records inserted are known. An insert
 * is measured as INSERT, a query, which begins at a record drawn from those that are there, as QUERY.
 */
public class Insertion extends MeasuredWorkload {
  private static final int LIMIT = 10;

  private final AtomicLong begun = new AtomicLong();
  private long together;
  private long cycle;
  private int indexes;

  @Override
  public void init(Properties properties) throws WorkloadException {
    super.init(properties);
    together = Long.parseLong(properties.getProperty("insertion.together"));
    indexes = Integer.parseInt(properties.getProperty("insertion.indexes"));
    long perQuery = Long.parseLong(properties.getProperty("insertion.perquery"));
    cycle = perQuery == 0 ? Long.MAX_VALUE : perQuery / together + 1;
  }

  @Override
  public Object initThread(Properties properties, int thread, int threads) {
    return new SplittableRandom(thread);
  }

  /** Nothing is loaded: the records are what is measured. */
  @Override
  public boolean doInsert(DB database, Object state) {
    return false;
  }

  @Override
  public boolean doTransaction(DB database, Object state) {
    long number = begun.getAndIncrement();
    long first = (number - number / cycle) * together;
    boolean asks = number % cycle == cycle - 1;
    List<Sale> sales = asks ? List.of() : sales(first);
    InsertionStore store = InsertionStore.OF_THREAD.get();
    long dueNs = dueNs();
    long startNs = System.nanoTime();
    Status status = asks ? query(store, (SplittableRandom) state, first) : store.insertSales(sales);
    measure(asks ? "QUERY" : "INSERT", status, dueNs, startNs);
    return true;
  }

  private List<Sale> sales(long first) {
    List<Sale> sales = new ArrayList<>((int) together);
    for (long key = first; key < first + together; key++) {
      sales.add(new Sale(key));
    }
    return sales;
  }

  private Status query(InsertionStore store, SplittableRandom random, long records) {
    int index = indexes == 0 ? 0 : 1 + random.nextInt(indexes);
    return store.readIndex(index, new Sale(random.nextLong(records)), LIMIT);
  }
}
