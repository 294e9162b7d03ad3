package ycsbook;

import site.ycsb.DB;
import site.ycsb.Status;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** Calls the operations of a store of Crud, one for each line that it is told; answers with the status. */
class CrudCalls {
  public static void main(String[] arguments) throws Exception {
    Properties properties = new Properties();
    try (FileInputStream file = new FileInputStream(arguments[1])) {
      properties.load(file);
    }
    DB database = (DB) Class.forName("ycsbook." + arguments[0]).getDeclaredConstructor().newInstance();
    database.setProperties(properties);
    database.init();
    CrudStore store = (CrudStore) database;
    BufferedReader told = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = told.readLine(); line != null; line = told.readLine()) {
      System.out.println(call(store, line.split(" ")).getName());
    }
    database.cleanup();
  }

  private static Status call(CrudStore store, String[] words) {
    switch (words[0]) {
      case "insert":
        List<CrudRecord> records = new ArrayList<>();
        for (int i = 2; i < words.length; i++) {
          records.add(new CrudRecord(Long.parseLong(words[i])));
        }
        return store.insert(records, words[1].equals("own"));
      case "update":
        return store.update(number(words, 1), number(words, 2), CrudRecord.text(number(words, 3)));
      case "delete":
        return store.delete(number(words, 1), number(words, 2));
      case "key":
        return store.findByKey(number(words, 1));
      case "age":
        return store.findByAge((int) number(words, 1), 20);
      case "prefix":
        return store.findByPrefix(words[1], 20);
      case "pattern":
        return store.findByPattern(words[1], 20);
      default:
        return store.findSorted((int) number(words, 1), words[0], 20);
    }
  }

  private static long number(String[] words, int place) {
    return Long.parseLong(words[place]);
  }
}
