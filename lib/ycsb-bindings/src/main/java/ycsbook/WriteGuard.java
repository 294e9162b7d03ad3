package ycsbook;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ends the process when an unacknowledged write does not get out.
 *
 * <p>Nothing answers such a write, so the driver's timeouts do not cover it: when a frozen server leaves the socket's
 * buffer full, a blocking write waits for ever, cannot be interrupted, and YCSB with it.
 */
final class WriteGuard implements Runnable {
  private static final long IDLE = 0;
  private static final int LOOKS_PER_TIMEOUT = 4;

  private final Queue<Writer> writers = new ConcurrentLinkedQueue<>();
  private final String where;
  private final int timeoutMs;

  WriteGuard(String where, int timeoutMs) {
    this.where = where;
    this.timeoutMs = timeoutMs;
  }

  /** Starts to look, in a thread that does not keep the process alive. */
  void start() {
    Thread thread = new Thread(this, "ycsbook-write-guard");
    thread.setDaemon(true);
    thread.start();
  }

  Writer register() {
    Writer writer = new Writer();
    writers.add(writer);
    return writer;
  }

  /** One thread's writes. Released stores: a look that is a little late changes nothing. */
  static final class Writer {
    private final AtomicLong since = new AtomicLong(IDLE);

    void begin() {
      since.setRelease(Math.max(1, System.nanoTime()));
    }

    void end() {
      since.setRelease(IDLE);
    }
  }

  @Override
  public void run() {
    long limitNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    try {
      while (true) {
        Thread.sleep(Math.max(1, timeoutMs / LOOKS_PER_TIMEOUT));
        long now = System.nanoTime();
        for (Writer writer : writers) {
          long since = writer.since.getAcquire();
          if (since != IDLE && now - since > limitNs) {
            Failure.exit(Failure.UNAVAILABLE, where + " has taken no data for " + timeoutMs
                + " ms: an unacknowledged write is stuck");
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
