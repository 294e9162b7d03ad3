package ycsbook;

import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ServerDescription;

import org.bson.Document;

import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

import javax.net.ssl.SSLException;

/**
 * The one client of the process, shared by all threads: opened and pinged by the first, closed by the last.
 *
 * <p>The ping is made once, under the lock: with one per thread, an absent server would cost threads times the timeout.
 */
final class Connection {
  // Held on to, because java.util.logging forgets the level of a logger that nobody refers to.
  private static final Logger DRIVER_LOG = Logger.getLogger("org.mongodb.driver");

  private static final Object LOCK = new Object();
  private static Connection shared;
  private static int users;

  final Settings settings;
  final MongoDatabase database;
  final WriteGuard guard;
  private final MongoClient client;
  private final String where;

  private Connection(Properties properties) throws Failure.StartException {
    if (DRIVER_LOG.getLevel() == null) {
      DRIVER_LOG.setLevel(Level.OFF);
    }
    settings = new Settings(properties);
    where = "MongoDB at " + String.join(",", settings.url.getHosts());
    client = MongoClients.create(settings.client);
    database = client.getDatabase(settings.database);
    ping();
    try {
      // Those that take longer are opened when they are needed.
      settings.opening.await(settings.timeoutMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    guard = new WriteGuard(where, settings.timeoutMs);
    if (!settings.client.getWriteConcern().isAcknowledged()) {
      guard.start();
    }
  }

  /** The shared connection; ends the process, with one line that says why, where there is none to be had. */
  static Connection open(Properties properties) {
    synchronized (LOCK) {
      if (shared == null) {
        try {
          shared = new Connection(properties);
        } catch (Failure.StartException e) {
          Failure.exit(e.exitCode(), e.getMessage());
        }
      }
      users++;
      return shared;
    }
  }

  /** Gives the connection back; the last user closes it. */
  static void release() {
    synchronized (LOCK) {
      users--;
      if (users == 0) {
        shared.client.close();
        shared = null;
      }
    }
  }

  private void ping() throws Failure.StartException {
    try {
      database.runCommand(new Document("ping", 1));
    } catch (MongoSecurityException e) {
      throw new Failure.StartException(Failure.NO_PERMISSION,
          where + " refuses the user name or password (" + settings.secrets.redact(rootCause(e)) + ")");
    } catch (MongoTimeoutException e) {
      Throwable refused = whyNoServer();
      if (isTls(refused)) {
        throw new Failure.StartException(Failure.UNAVAILABLE, where + ": no TLS connection: "
            + settings.secrets.redact(rootCause(refused)) + "; check the host name, and tlsCAFile in the URL");
      }
      throw new Failure.StartException(Failure.UNAVAILABLE, where + " does not answer within "
          + settings.serverSelectionTimeoutMs + " ms: "
          + (refused == null ? "no primary among the servers that answered"
              : settings.secrets.redact(rootCause(refused))));
    } catch (MongoException | IllegalArgumentException e) {
      throw new Failure.StartException(Failure.UNAVAILABLE,
          where + " cannot be used: " + Failure.describe(e, settings.secrets));
    }
  }

  /** What stood between us and one of the servers; null where they answered. */
  private Throwable whyNoServer() {
    for (ServerDescription server : client.getClusterDescription().getServerDescriptions()) {
      if (server.getException() != null) {
        return server.getException();
      }
    }
    return null;
  }

  private static boolean isTls(Throwable failure) {
    for (Throwable one = failure; one != null; one = one.getCause() == one ? null : one.getCause()) {
      if (one instanceof SSLException) {
        return true;
      }
    }
    return false;
  }

  private static String rootCause(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root.getClass().getSimpleName() + ": " + root.getMessage();
  }
}
