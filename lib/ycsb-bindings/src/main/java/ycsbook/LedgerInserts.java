package ycsbook;

import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;

import java.nio.file.Path;
import java.util.Properties;

/**
 * Inserts documents with consecutive ids, and keeps a ledger of each: that it is going to be sent, and what was answered.
 *
 * <p>Property: ledger.folder, in which each thread writes a {@link Ledger} of its own. Thread t of n has the ids t, t + n,
 * t + 2 n and so on. A failed insert is counted and the next one made: failures are what this workload is there to see.
 */
public class LedgerInserts extends Workload {
  private static final String MEASURED_AS = "INSERT";

  private Path folder;
  private Measurements measurements;

  @Override
  public void init(Properties properties) throws WorkloadException {
    String named = properties.getProperty("ledger.folder");
    if (named == null) {
      Failure.exit(Failure.BAD_PROPERTY, "ledger.folder: is not set, expected the folder of the ledger");
    }
    folder = Path.of(named);
    measurements = Measurements.getMeasurements();
  }

  /** What a thread knows: its server, its ledger, and the id that it sends next. */
  private static final class Client {
    final LedgerMongo store = LedgerMongo.OF_THREAD.get();
    final Ledger ledger;
    final int step;
    long id;

    Client(Ledger ledger, int thread, int threads) {
      this.ledger = ledger;
      id = thread;
      step = threads;
    }
  }

  @Override
  public Object initThread(Properties properties, int thread, int threads) {
    return new Client(new Ledger(folder, thread), thread, threads);
  }

  /** There is nothing to load. */
  @Override
  public boolean doInsert(DB database, Object state) {
    return false;
  }

  @Override
  public boolean doTransaction(DB database, Object state) {
    Client client = (Client) state;
    long intendedNs = measurements.getIntendedtartTimeNs();
    client.ledger.intended(client.id);
    long startNs = System.nanoTime();
    RuntimeException failure = client.store.insert(client.id);
    long endNs = System.nanoTime();
    if (failure == null) {
      client.ledger.written(client.id, client.store.isAcknowledged(), SentTo.server());
    } else {
      client.ledger.failed(client.id, SentTo.server(), failure);
    }
    client.id += client.step;
    String measured = failure == null ? MEASURED_AS : MEASURED_AS + "-FAILED";
    measurements.measure(measured, (int) ((endNs - startNs) / 1000));
    measurements.measureIntended(measured, (int) ((endNs - intendedNs) / 1000));
    measurements.reportStatus(MEASURED_AS, failure == null ? Status.OK : Status.ERROR);
    return true;
  }
}
