package ycsbook;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * What one thread is going to write and what was answered: a file {@code <thread>.ledger} of lines.
 *
 * <pre>
 * 17 1732355555123456 intended
 * 17 1732355555124001 acknowledged 127.0.0.1:27017
 * 27 1732355555124010 intended
 * 27 1732355555127302 failed 127.0.0.1:27017 MongoSocketReadException
 * </pre>
 *
 * <p>Id, microseconds since 1970, and what happened: {@code intended} before the write is sent; then {@code acknowledged},
 * {@code sent} where nobody answers (write concern 0), or {@code failed}, with the server it was sent to last (a dash: none).
 *
 * <p>Each line is one write to the file, without a buffer of ours: once it returns, the line is the system's, and stays
 * when this process is killed. It is not brought to the disk: what is made to fail are servers, never the machine, and an
 * fsync for each line would be slower than the servers. A line that was cut has no end.
 */
final class Ledger {
  /** By a clock that nobody sets, from the time of day at the start. */
  private static final long EPOCH_US =
      TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) - System.nanoTime() / 1000;

  private final Path path;
  private final FileOutputStream file;

  Ledger(Path folder, int thread) {
    path = folder.resolve(thread + ".ledger");
    try {
      Files.createDirectories(folder);
      file = new FileOutputStream(path.toFile(), true);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  void intended(long id) {
    write(id, "intended");
  }

  void written(long id, boolean acknowledged, String server) {
    write(id, (acknowledged ? "acknowledged " : "sent ") + server);
  }

  void failed(long id, String server, RuntimeException failure) {
    write(id, "failed " + server + " " + failure.getClass().getSimpleName());
  }

  private void write(long id, String what) {
    String line = id + " " + (EPOCH_US + System.nanoTime() / 1000) + " " + what + "\n";
    try {
      file.write(line.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private IllegalStateException failure(IOException e) {
    Failure.exit(Failure.NO_LEDGER, path.getFileName() + ": the ledger cannot be written: " + e.getMessage());
    return new IllegalStateException(e);
  }
}
