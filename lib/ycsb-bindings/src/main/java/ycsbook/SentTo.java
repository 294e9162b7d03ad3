package ycsbook;

import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;

/** Remembers which server the last insert of each thread was sent to: the driver makes its calls in the caller's thread. */
final class SentTo implements CommandListener {
  private static final String NOBODY = "-";
  private static final ThreadLocal<String> SERVER = ThreadLocal.withInitial(() -> NOBODY);

  /** The server, host:port; a dash where no insert was sent since it was forgotten. */
  static String server() {
    return SERVER.get();
  }

  static void forget() {
    SERVER.set(NOBODY);
  }

  @Override
  public void commandStarted(CommandStartedEvent event) {
    if (event.getCommandName().equals("insert")) {
      SERVER.set(event.getConnectionDescription().getServerAddress().toString());
    }
  }
}
