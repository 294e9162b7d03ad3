package ycsbook;

import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.WorkloadException;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.SplittableRandom;

/**
 * One kind of create, read, update or delete, repeated: what the CRUD matrices of early MongoDB benchmarks measure.
 *
 * <table>
 * <caption>Properties</caption>
 * <tr><td>recordcount</td><td>records loaded, with keys from 0; in number at least those that the operations delete</td></tr>
 * <tr><td>crud.operation</td><td>insert-one, insert-increasing, insert-many, find-key, find-index, find-prefix, find-pattern,
 *     find-sorted, find-compound, update-key, update-many, delete-key, delete-many</td></tr>
 * <tr><td>crud.together</td><td>records that one operation of the kind -many concerns</td></tr>
 * <tr><td>batchsize</td><td>records sent together while loading</td></tr>
 * </table>
 *
 * <p>An operation is measured under its name in capitals, such as FIND_KEY. Keys are drawn uniformly; the n-th deletion of
 * a thread concerns records that no other one does.
 */
public class Crud extends MeasuredWorkload {
  private static final int LIMIT = 20;
  private static final int PREFIX = 3;
  private static final int PATTERN = 4;
  private static final long WARM_UP_NS = 500_000_000;

  private String operation;
  private String measuredAs;
  private long records;
  private int together;
  private int batch;
  private CrudStore connections;

  @Override
  public void init(Properties properties) throws WorkloadException {
    super.init(properties);
    operation = properties.getProperty("crud.operation", "");
    measuredAs = operation.toUpperCase(Locale.ROOT).replace('-', '_');
    records = Long.parseLong(properties.getProperty("recordcount"));
    together = Integer.parseInt(properties.getProperty("crud.together", "1"));
    batch = Integer.parseInt(properties.getProperty("batchsize", "1"));
    try {
      connections = (CrudStore) Class.forName(properties.getProperty("db")).getDeclaredConstructor().newInstance();
      warmUp((DB) connections, properties);
    } catch (ReflectiveOperationException | DBException e) {
      throw new WorkloadException(e);
    }
    connections.connectAll(properties);
  }

  /** Finds a record for half a second: a driver's first second goes into loading and compiling its classes, in a short
   * run a good part of what would be compared. */
  private void warmUp(DB database, Properties properties) throws DBException {
    database.setProperties(properties);
    database.init();
    long untilNs = System.nanoTime() + WARM_UP_NS;
    while (System.nanoTime() - untilNs < 0) {
      connections.findByKey(0);
    }
    database.cleanup();
  }

  @Override
  public void cleanup() {
    connections.disconnectAll();
  }

  /** What a thread knows: which one it is, how many operations it has made, and its share of the keys. */
  private static final class Client {
    final CrudStore store = CrudStore.OF_THREAD.get();
    final SplittableRandom random;
    final List<CrudRecord> waiting = new ArrayList<>();
    final int thread;
    final int threads;
    final long share;
    long done;

    Client(int thread, int threads, long records) {
      this.thread = thread;
      this.threads = threads;
      random = new SplittableRandom(thread);
      share = records / threads + (thread < records % threads ? 1 : 0);
    }

    /** A number that no other operation of any thread has. */
    long next() {
      return thread + threads * done++;
    }
  }

  @Override
  public Object initThread(Properties properties, int thread, int threads) {
    return new Client(thread, threads, records);
  }

  /** Loads the next record of the thread's share; the last one also sends what waits. */
  @Override
  public boolean doInsert(DB database, Object state) {
    Client client = (Client) state;
    client.waiting.add(new CrudRecord(client.next()));
    long startNs = System.nanoTime();
    Status status = Status.BATCHED_OK;
    if (client.waiting.size() >= batch || client.done == client.share) {
      status = client.store.insert(client.waiting, true);
      client.waiting.clear();
    }
    measure("INSERT", status, startNs, startNs);
    return status.isOk();
  }

  @Override
  public boolean doTransaction(DB database, Object state) {
    Client client = (Client) state;
    long dueNs = dueNs();
    long startNs = System.nanoTime();
    measure(measuredAs, perform(client), dueNs, startNs);
    return true;
  }

  private Status perform(Client client) {
    CrudStore store = client.store;
    SplittableRandom random = client.random;
    switch (operation) {
      case "insert-one":
        return store.insert(List.of(added(client)), false);
      case "insert-increasing":
        return store.insert(List.of(added(client)), true);
      case "insert-many":
        List<CrudRecord> many = new ArrayList<>(together);
        for (int i = 0; i < together; i++) {
          many.add(added(client));
        }
        return store.insert(many, false);
      case "find-key":
        return store.findByKey(random.nextLong(records));
      case "find-index":
        return store.findByAge(random.nextInt(CrudRecord.AGES), LIMIT);
      case "find-prefix":
        return store.findByPrefix(digits(random, PREFIX), LIMIT);
      case "find-pattern":
        return store.findByPattern(digits(random, PATTERN), LIMIT);
      case "find-sorted":
        return store.findSorted(random.nextInt(CrudRecord.AGES), "test3", LIMIT);
      case "find-compound":
        return store.findSorted(random.nextInt(CrudRecord.AGES), "test2", LIMIT);
      case "update-key":
        return update(client, random.nextLong(records), 1);
      case "update-many":
        return update(client, random.nextLong(Math.max(1, records - together + 1)), together);
      case "delete-key":
        long key = client.next();
        return store.delete(key, key + 1);
      case "delete-many":
        long block = client.next();
        return store.delete(block * together, (block + 1) * together);
      default:
        Failure.exit(Failure.BAD_PROPERTY, "crud.operation: got '" + operation + "', expected one that Crud names");
        throw new IllegalStateException(operation);
    }
  }

  private CrudRecord added(Client client) {
    return new CrudRecord(records + client.next());
  }

  private static Status update(Client client, long from, int count) {
    return client.store.update(from, from + count, CrudRecord.text(client.random.nextLong()));
  }

  private static String digits(SplittableRandom random, int count) {
    return String.format("%08x", random.nextInt()).substring(0, count);
  }
}
