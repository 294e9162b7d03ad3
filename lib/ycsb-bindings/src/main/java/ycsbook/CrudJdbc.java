package ycsbook;

import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The operations of {@link Crud} on a SQL server, over JDBC. A key that the server makes is AUTO_INCREMENT's.
 *
 * <p>Each thread has a connection of its own, which commits each statement. Statements are prepared by the driver, not by
 * the server: a round trip each, as for MongoDB.
 *
 * <table>
 * <caption>Properties</caption>
 * <tr><td>jdbc.url, jdbc.user, jdbc.password</td><td>the server; only in a file, never on a command line</td></tr>
 * <tr><td>table</td><td>the table, which is there already</td></tr>
 * </table>
 */
public class CrudJdbc extends DB implements CrudStore {
  private static final String CONNECT_MS = "3000";
  private static final String ANSWER_MS = "30000";
  private static final String FIELDS = "age, test1, test2, test3, test4";
  private static final int TEXTS_FROM = 3;
  // Connections that are open before YCSB's clock runs, which the threads take.
  private static final Queue<Connection> AHEAD = new ConcurrentLinkedQueue<>();

  static {
    // Before the driver is loaded: it prints a line for each statement that fails, thousands a second.
    System.setProperty("mariadb.logging.disable", "true");
  }

  private final Map<String, PreparedStatement> statements = new HashMap<>();
  private Secrets secrets;
  private Connection connection;
  private String table;

  /** A statement with its values set; says how many rows it found or changed. */
  private interface Call {
    int make() throws SQLException;
  }

  @Override
  public void init() {
    Properties given = getProperties();
    secrets = new Secrets(given.getProperty("jdbc.password", ""));
    table = "`" + given.getProperty("table") + "`";
    Connection ahead = AHEAD.poll();
    connection = ahead == null ? connect(given, secrets) : ahead;
    OF_THREAD.set(this);
  }

  @Override
  public void connectAll(Properties given) {
    Secrets hidden = new Secrets(given.getProperty("jdbc.password", ""));
    for (int thread = 0; thread < CrudStore.threads(given); thread++) {
      AHEAD.add(connect(given, hidden));
    }
  }

  @Override
  public void disconnectAll() {
    // Each thread closes its own.
  }

  /** A new connection; ends the process, with one line that says why, where there is none to be had. */
  private static Connection connect(Properties given, Secrets secrets) {
    Properties options = new Properties();
    options.setProperty("user", given.getProperty("jdbc.user", ""));
    options.setProperty("password", given.getProperty("jdbc.password", ""));
    options.setProperty("connectTimeout", CONNECT_MS);
    options.setProperty("socketTimeout", ANSWER_MS);
    try {
      Connection connection = DriverManager.getConnection(given.getProperty("jdbc.url"), options);
      try (Statement statement = connection.createStatement()) {
        // The first record has the key 0, which AUTO_INCREMENT would take for none.
        statement.execute("SET SESSION sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_VALUE_ON_ZERO')");
      }
      return connection;
    } catch (SQLException e) {
      // SQLState of class 28: invalid authorization.
      boolean refused = String.valueOf(e.getSQLState()).startsWith("28");
      Failure.exit(refused ? Failure.NO_PERMISSION : Failure.UNAVAILABLE, "the SQL server "
          + (refused ? "refuses the user name or password: " : "cannot be used: ") + Failure.describe(e, secrets));
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void cleanup() {
    try {
      connection.close();
    } catch (SQLException e) {
      // It is gone already.
      Failure.once("CLOSE", new SqlFailure(e), secrets);
    }
  }

  @Override
  public Status insert(List<CrudRecord> records, boolean ownKeys) {
    String row = ownKeys ? "(?, ?, ?, ?, ?, ?)" : "(?, ?, ?, ?, ?)";
    String rows = String.join(", ", Collections.nCopies(records.size(), row));
    String sql = "INSERT INTO " + table + " (" + (ownKeys ? "id, " : "") + FIELDS + ") VALUES " + rows;
    return answered("INSERT", records.size(), () -> {
      PreparedStatement statement = statement(sql);
      int place = 1;
      for (CrudRecord record : records) {
        if (ownKeys) {
          statement.setLong(place++, record.key);
        }
        statement.setInt(place++, record.age());
        for (int field = 1; field <= CrudRecord.FIELDS; field++) {
          statement.setString(place++, record.text(field));
        }
      }
      return statement.executeUpdate();
    });
  }

  @Override
  public Status findByKey(long key) {
    return found(1, "id = ?", key);
  }

  @Override
  public Status findByAge(int age, int limit) {
    return found(0, "age = ? LIMIT " + limit, age);
  }

  @Override
  public Status findByPrefix(String text, int limit) {
    return found(0, "test1 LIKE ? LIMIT " + limit, text + "%");
  }

  @Override
  public Status findByPattern(String text, int limit) {
    return found(0, "test4 LIKE ? LIMIT " + limit, "%" + text + "%");
  }

  @Override
  public Status findSorted(int age, String field, int limit) {
    return found(0, "age = ? ORDER BY " + field + " LIMIT " + limit, age);
  }

  @Override
  public Status update(long from, long to, String text) {
    return answered("UPDATE", (int) (to - from), () -> {
      PreparedStatement statement = statement("UPDATE " + table + " SET test4 = ? WHERE " + keys(from, to));
      statement.setString(1, text);
      return withKeys(statement, 2, from, to).executeUpdate();
    });
  }

  @Override
  public Status delete(long from, long to) {
    return answered("DELETE", (int) (to - from), () -> {
      PreparedStatement statement = statement("DELETE FROM " + table + " WHERE " + keys(from, to));
      return withKeys(statement, 1, from, to).executeUpdate();
    });
  }

  private static String keys(long from, long to) {
    return to - from == 1 ? "id = ?" : "id >= ? AND id < ?";
  }

  private static PreparedStatement withKeys(PreparedStatement statement, int place, long from, long to)
      throws SQLException {
    statement.setLong(place, from);
    if (to - from > 1) {
      statement.setLong(place + 1, to);
    }
    return statement;
  }

  private Status found(int atLeast, String where, Object value) {
    return answered("FIND", atLeast, () -> {
      PreparedStatement statement = statement("SELECT id, " + FIELDS + " FROM " + table + " WHERE " + where);
      statement.setObject(1, value);
      int rows = 0;
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          // Every column, as MongoDB's driver decodes every field.
          result.getLong(1);
          result.getInt(2);
          for (int text = 0; text < CrudRecord.FIELDS; text++) {
            result.getString(TEXTS_FROM + text);
          }
          rows++;
        }
      }
      return rows;
    });
  }

  private PreparedStatement statement(String sql) throws SQLException {
    PreparedStatement statement = statements.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      statements.put(sql, statement);
    }
    return statement;
  }

  private Status answered(String operation, int atLeast, Call call) {
    try {
      return call.make() < atLeast ? Status.NOT_FOUND : Status.OK;
    } catch (SQLException | RuntimeException e) {
      RuntimeException failure = e instanceof RuntimeException ? (RuntimeException) e : new SqlFailure(e);
      Failure.once(operation, failure, secrets);
      return Status.ERROR;
    }
  }

  /** What SQL servers say, as {@link Failure} takes it. */
  private static final class SqlFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SqlFailure(Throwable cause) {
      super(cause.getMessage(), cause);
    }
  }

  // YCSB's own mixes are not made on SQL servers.

  @Override
  public Status read(String name, String key, Set<String> fields, Map<String, ByteIterator> result) {
    return Status.NOT_IMPLEMENTED;
  }

  @Override
  public Status scan(String name, String start, int count, Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    return Status.NOT_IMPLEMENTED;
  }

  @Override
  public Status update(String name, String key, Map<String, ByteIterator> values) {
    return Status.NOT_IMPLEMENTED;
  }

  @Override
  public Status insert(String name, String key, Map<String, ByteIterator> values) {
    return Status.NOT_IMPLEMENTED;
  }

  @Override
  public Status delete(String name, String key) {
    return Status.NOT_IMPLEMENTED;
  }
}
