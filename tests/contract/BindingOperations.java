import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

import java.io.FileInputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;

/** Calls each operation of a binding, what YCSB's workloads never ask for included; prints what it gave, a line each. */
class BindingOperations {
  private static final String TABLE = "operations";

  public static void main(String[] arguments) throws Exception {
    Properties properties = new Properties();
    properties.load(new FileInputStream(arguments[1]));
    DB db = (DB) Class.forName(arguments[0]).getConstructor().newInstance();
    db.setProperties(properties);
    db.init();
    for (String key : new String[] {"k1", "k2", "k3"}) {
      print("insert " + key, db.insert(TABLE, key, fields("f0", key + "-zero", "f1", key + "-one")));
    }
    print("insert again", db.insert(TABLE, "k1", fields("f0", "new")));
    print("insert again", db.insert(TABLE, "k2", fields("f0", "new")));

    Map<String, ByteIterator> record = new HashMap<>();
    print("read all", db.read(TABLE, "k1", null, record), record);
    record = new HashMap<>();
    print("read f1", db.read(TABLE, "k1", Set.of("f1"), record), record);
    record = new HashMap<>();
    print("read missing", db.read(TABLE, "none", null, record), record);

    print("update", db.update(TABLE, "k2", fields("f1", "changed")));
    record = new HashMap<>();
    print("read updated", db.read(TABLE, "k2", null, record), record);
    print("update missing", db.update(TABLE, "none", fields("f1", "changed")));

    Vector<HashMap<String, ByteIterator>> records = new Vector<>();
    print("scan 2 from k2", db.scan(TABLE, "k2", 2, null, records));
    records.forEach(r -> print("  ", null, r));
    records = new Vector<>();
    print("scan 1 from k1, f0", db.scan(TABLE, "k1", 1, Set.of("f0"), records));
    records.forEach(r -> print("  ", null, r));
    print("scan past the end", db.scan(TABLE, "z", 5, null, new Vector<>()));

    print("delete", db.delete(TABLE, "k1"));
    print("delete missing", db.delete(TABLE, "k1"));
    // A name the server refuses: an error, not an absence.
    print("read error", db.read("", "k1", null, new HashMap<>()));
    print("update error", db.update(TABLE, "k2", fields("$bad.", "x")));
    db.cleanup();
  }

  private static Map<String, ByteIterator> fields(String... pairs) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      values.put(pairs[i], pairs[i + 1]);
    }
    return StringByteIterator.getByteIteratorMap(values);
  }

  private static void print(String what, Status status) {
    System.out.println(what + ": " + status.getName());
  }

  private static void print(String what, Status status, Map<String, ByteIterator> record) {
    Map<String, String> values = new TreeMap<>();
    record.forEach((field, value) -> values.put(field, value.toString()));
    System.out.println(what + ": " + (status == null ? "" : status.getName() + " ") + values);
  }
}
