package ycsbook;

import site.ycsb.Status;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;

import java.util.Properties;

/** A workload whose operations are its own, and are measured as YCSB measures those that it knows. */
abstract class MeasuredWorkload extends Workload {
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
    measurements.measure(measured, (int) ((endNs - startNs) / 1000));
    measurements.measureIntended(measured, (int) ((endNs - dueNs) / 1000));
    measurements.reportStatus(name, status);
  }
}
