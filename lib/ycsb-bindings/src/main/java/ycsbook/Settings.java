package ycsbook;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.connection.SslSettings;
import com.mongodb.event.ConnectionPoolListener;
import com.mongodb.event.ConnectionReadyEvent;

import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;

/**
 * The binding's properties. What a property says goes before what the URL says, and that before the default.
 *
 * <table>
 * <caption>Properties</caption>
 * <tr><td>mongodb.url</td><td>connection string; its database, unless that is admin, else ycsb; its TLS options as
 *     {@link Tls} reads them</td></tr>
 * <tr><td>mongodb.upsert</td><td>true: an insert replaces a record that is there already; default false</td></tr>
 * <tr><td>mongodb.writeConcern</td><td>unacknowledged, acknowledged, journaled, replica_acknowledged, majority
 *     as in YCSB's own binding, or a number of members (0, 1, ...)</td></tr>
 * <tr><td>mongodb.readPreference</td><td>primary, primary_preferred, secondary, secondary_preferred, nearest</td></tr>
 * <tr><td>batchsize</td><td>inserts sent together, per thread; default 1</td></tr>
 * <tr><td>mongodb.maxPoolSize</td><td>connections; default the number of threads, 100 at least</td></tr>
 * <tr><td>mongodb.minPoolSize</td><td>connections that are open before the first operation; default 0</td></tr>
 * <tr><td>mongodb.serverSelectionTimeoutMs</td><td>how long to look for a server; default 3000</td></tr>
 * <tr><td>mongodb.timeoutMs</td><td>how long to wait for an answer; default 30000</td></tr>
 * </table>
 */
final class Settings {
  private static final String DEFAULT_URL = "mongodb://127.0.0.1:27017/ycsb";
  private static final String DEFAULT_DATABASE = "ycsb";
  private static final int DRIVERS_POOL = 100;

  final ConnectionString url;
  final Secrets secrets;
  final String database;
  final boolean upsert;
  final int batchSize;
  final int serverSelectionTimeoutMs;
  final int timeoutMs;
  /** Counts the connections that are still to be opened before the first operation. */
  final CountDownLatch opening;
  final MongoClientSettings client;

  Settings(Properties properties) throws Failure.StartException {
    url = parse(properties.getProperty("mongodb.url", DEFAULT_URL));
    secrets = new Secrets(url);
    // A URL ends in /admin because that is where its user is defined, not because data should go there.
    String named = url.getDatabase();
    database = named == null || named.isEmpty() || named.equals("admin") ? DEFAULT_DATABASE : named;
    upsert = Boolean.parseBoolean(properties.getProperty("mongodb.upsert", "false"));
    batchSize = positive(properties, "batchsize", null, 1);
    serverSelectionTimeoutMs =
        positive(properties, "mongodb.serverSelectionTimeoutMs", url.getServerSelectionTimeout(), 3000);
    timeoutMs = positive(properties, "mongodb.timeoutMs", url.getSocketTimeout(), 30_000);
    int atStart = positive(properties, "mongodb.minPoolSize", url.getMinConnectionPoolSize(), 0);
    opening = new CountDownLatch(atStart);
    client = client(properties, atStart);
  }

  private MongoClientSettings client(Properties properties, int atStart) throws Failure.StartException {
    int threads = positive(properties, "threadcount", null, 1);
    int pool = positive(properties, "mongodb.maxPoolSize", url.getMaxConnectionPoolSize(),
        Math.max(threads, DRIVERS_POOL));
    int connectTimeoutMs = url.getConnectTimeout() == null ? serverSelectionTimeoutMs : url.getConnectTimeout();
    int waitMs = url.getMaxWaitTime() == null ? timeoutMs : url.getMaxWaitTime();
    MongoClientSettings.Builder builder = MongoClientSettings.builder()
        .applyConnectionString(url)
        .applyToClusterSettings(c -> c.serverSelectionTimeout(serverSelectionTimeoutMs, MILLISECONDS))
        .applyToConnectionPoolSettings(p -> p.minSize(atStart).maxSize(pool).maxWaitTime(waitMs, MILLISECONDS)
            .addConnectionPoolListener(new ConnectionPoolListener() {
              @Override
              public void connectionReady(ConnectionReadyEvent event) {
                opening.countDown();
              }
            }))
        .applyToSocketSettings(s -> s.connectTimeout(connectTimeoutMs, MILLISECONDS)
            .readTimeout(timeoutMs, MILLISECONDS));
    SslSettings.Builder ssl = SslSettings.builder().applyConnectionString(url);
    new Tls(url).apply(ssl);
    SslSettings tls = ssl.build();
    builder.applyToSslSettings(s -> s.applySettings(tls));
    String concern = properties.getProperty("mongodb.writeConcern");
    if (concern != null) {
      builder.writeConcern(writeConcern(concern));
    }
    String preference = properties.getProperty("mongodb.readPreference");
    if (preference != null) {
      builder.readPreference(readPreference(preference));
    }
    if (properties.getProperty("ledger.folder") != null) {
      builder.addCommandListener(new SentTo());
    }
    return builder.build();
  }

  private static ConnectionString parse(String text) throws Failure.StartException {
    try {
      return new ConnectionString(text);
    } catch (IllegalArgumentException e) {
      // The driver's message quotes pieces of the URL, which may be the password: it is not passed on.
      throw new Failure.StartException(Failure.BAD_PROPERTY, "mongodb.url is not a MongoDB connection string: expected "
          + "mongodb://[user:password@]host[:port]/[database][?options], special characters percent-encoded");
    }
  }

  private static int positive(Properties properties, String name, Integer inUrl, int otherwise)
      throws Failure.StartException {
    String text = properties.getProperty(name);
    if (text == null) {
      return inUrl == null ? otherwise : inUrl;
    }
    try {
      int value = Integer.parseInt(text.trim());
      if (value > 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Said below, as for zero and negative numbers.
    }
    throw bad(name, text, "a whole number above 0");
  }

  private static WriteConcern writeConcern(String text) throws Failure.StartException {
    switch (text.toLowerCase(Locale.ROOT)) {
      case "unacknowledged":
      case "errors_ignored":
        return WriteConcern.UNACKNOWLEDGED;
      case "acknowledged":
        // Not WriteConcern.ACKNOWLEDGED, which leaves the choice to the server: majority on a replica set since 5.0.
        return WriteConcern.W1;
      case "journaled":
        // Not WriteConcern.JOURNALED, which leaves the number of members to the server, as ACKNOWLEDGED does.
        return WriteConcern.W1.withJournal(true);
      case "replica_acknowledged":
        return WriteConcern.W2;
      case "majority":
        return WriteConcern.MAJORITY;
      default:
        if (text.matches("\\d{1,2}")) {
          return new WriteConcern(Integer.parseInt(text));
        }
        throw bad("mongodb.writeConcern", text,
            "unacknowledged, acknowledged, journaled, replica_acknowledged, majority or a number of members");
    }
  }

  private static ReadPreference readPreference(String text) throws Failure.StartException {
    try {
      return ReadPreference.valueOf(text.replace("_", ""));
    } catch (IllegalArgumentException e) {
      throw bad("mongodb.readPreference", text,
          "primary, primary_preferred, secondary, secondary_preferred or nearest");
    }
  }

  private static Failure.StartException bad(String name, String found, String expected) {
    return new Failure.StartException(Failure.BAD_PROPERTY, name + ": got '" + found + "', expected " + expected);
  }
}
