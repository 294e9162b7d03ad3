package ycsbook;

import site.ycsb.Status;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;

import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A workload whose operations are its own, and are measured as YCSB measures those that it knows. */
abstract class MeasuredWorkload extends Workload {
  // YCSB makes the measurement of an operation when it first occurs, and its .hdr file with it. Two threads that come first
  // at once would both open the file, and the later one would cut off what the other has written.
  private final Set<String> made = ConcurrentHashMap.newKeySet();
  private Measurements measurements;

  @Override
  public void init(Properties properties) throws WorkloadException {
    measurements = Measurements.getMeasurements();
  }

  /** When the operation that comes next was due, ns; without a target rate that is when it begins. */
  final long dueNs() {
    return measurements.getIntendedtartTimeNs();
  }

  /** Takes the time of an operation that has just ended; a failed one under a name of its own. */
  final void measure(String name, Status status, long dueNs, long startNs) {
    long endNs = System.nanoTime();
    String measured = status.isOk() ? name : name + "-FAILED";
    int tookUs = (int) ((endNs - startNs) / 1000);
    int lateUs = (int) ((endNs - dueNs) / 1000);
    if (made.contains(measured)) {
      record(name, measured, status, tookUs, lateUs);
      return;
    }
    synchronized (made) {
      record(name, measured, status, tookUs, lateUs);
      made.add(measured);
    }
  }

  private void record(String name, String measured, Status status, int tookUs, int lateUs) {
    measurements.measure(measured, tookUs);
    measurements.measureIntended(measured, lateUs);
    measurements.reportStatus(name, status);
  }
}
