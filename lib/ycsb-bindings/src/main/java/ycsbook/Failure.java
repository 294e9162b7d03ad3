package ycsbook;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How the binding complains: one line on stderr that starts with {@code ycsbook: }, never with a secret in it.
 *
 * <p>YCSB prints two stack traces per thread for a DBException and then exits with 0. A failed start, and a last batch
 * that could not be written, therefore end the process here, with one of the codes of BSD's sysexits.h.
 */
final class Failure {
  /** The server cannot be reached or refuses this driver. */
  static final int UNAVAILABLE = 69;
  /** What a write's ledger says cannot be kept. */
  static final int NO_LEDGER = 73;
  /** Records reported as BATCHED_OK could not be written after all. */
  static final int NOT_WRITTEN = 74;
  /** The server refuses the user name or password. */
  static final int NO_PERMISSION = 77;
  /** A property has a value that means nothing. */
  static final int BAD_PROPERTY = 78;

  private static final int MAX_LINE = 400;
  private static final int MAX_KINDS = 50;
  private static final Set<String> SHOWN = ConcurrentHashMap.newKeySet();

  private Failure() {
  }

  /** A start that failed: the exit code to end with and the line to show. */
  static final class StartException extends Exception {
    private static final long serialVersionUID = 1L;
    private final int exitCode;

    StartException(int exitCode, String message) {
      super(message);
      this.exitCode = exitCode;
    }

    int exitCode() {
      return exitCode;
    }
  }

  /** Ends the process. Synchronized, and never left: only the first thread that has a reason gets to say it. */
  static synchronized void exit(int code, String message) {
    say(message);
    System.err.flush();
    System.exit(code);
  }

  /** Shows the first failure of each kind: a server that is gone fails every operation in the same way. */
  static void once(String operation, RuntimeException failure, Secrets secrets) {
    String kind = operation + " " + failure.getClass().getName();
    if (SHOWN.size() < MAX_KINDS && SHOWN.add(kind)) {
      say(operation + " failed: " + describe(failure, secrets) + " (more of this kind are not shown)");
    }
  }

  /** The class and message of a failure, without secrets. */
  static String describe(Throwable failure, Secrets secrets) {
    return secrets.redact(failure.getClass().getSimpleName() + ": " + failure.getMessage());
  }

  private static void say(String message) {
    String line = message.replaceAll("\\s+", " ");
    System.err.println("ycsbook: " + (line.length() <= MAX_LINE ? line : line.substring(0, MAX_LINE) + "..."));
  }
}
