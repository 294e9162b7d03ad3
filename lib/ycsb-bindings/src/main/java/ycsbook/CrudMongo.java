package ycsbook;

import static com.mongodb.client.model.Filters.and;
import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Filters.lt;
import static com.mongodb.client.model.Filters.regex;
import static com.mongodb.client.model.Sorts.ascending;
import static com.mongodb.client.model.Updates.set;

import com.mongodb.client.result.DeleteResult;
import com.mongodb.client.result.UpdateResult;

import org.bson.Document;
import org.bson.conversions.Bson;

import site.ycsb.Status;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** The operations of {@link Crud} on MongoDB. A key that the server makes is the driver's ObjectId. */
public class CrudMongo extends MongoStore implements CrudStore {
  @Override
  public void init() {
    super.init();
    OF_THREAD.set(this);
  }

  @Override
  public void connectAll(Properties properties) {
    Properties pooled = new Properties();
    pooled.putAll(properties);
    pooled.setProperty("mongodb.minPoolSize", Integer.toString(CrudStore.threads(properties)));
    Connection.open(pooled);
  }

  @Override
  public void disconnectAll() {
    Connection.release();
  }

  @Override
  public Status insert(List<CrudRecord> records, boolean ownKeys) {
    List<Document> documents = new ArrayList<>(records.size());
    for (CrudRecord record : records) {
      documents.add(document(record, ownKeys));
    }
    return insert(documents);
  }

  @Override
  public Status findByKey(long key) {
    return answered("FIND", () -> collection.find(eq(key)).first() == null ? Status.NOT_FOUND : Status.OK);
  }

  @Override
  public Status findByAge(int age, int limit) {
    return found(collection.find(eq("age", age)).limit(limit));
  }

  @Override
  public Status findByPrefix(String text, int limit) {
    return found(collection.find(regex("test1", "^" + text)).limit(limit));
  }

  @Override
  public Status findByPattern(String text, int limit) {
    return found(collection.find(regex("test4", text)).limit(limit));
  }

  @Override
  public Status findSorted(int age, String field, int limit) {
    return found(collection.find(eq("age", age)).sort(ascending(field)).limit(limit));
  }

  @Override
  public Status update(long from, long to, String text) {
    Bson change = set("test4", text);
    return written("UPDATE", () -> {
      UpdateResult result =
          to - from == 1 ? collection.updateOne(eq(from), change) : collection.updateMany(keys(from, to), change);
      return missed(result.wasAcknowledged() && result.getMatchedCount() < to - from);
    });
  }

  @Override
  public Status delete(long from, long to) {
    return written("DELETE", () -> {
      DeleteResult result = to - from == 1 ? collection.deleteOne(eq(from)) : collection.deleteMany(keys(from, to));
      return missed(result.wasAcknowledged() && result.getDeletedCount() < to - from);
    });
  }

  static Document document(CrudRecord record, boolean ownKey) {
    Document document = ownKey ? new Document("_id", record.key) : new Document();
    document.append("age", record.age());
    for (int field = 1; field <= CrudRecord.FIELDS; field++) {
      document.append("test" + field, record.text(field));
    }
    return document;
  }

  private static Status missed(boolean tooFew) {
    return tooFew ? Status.NOT_FOUND : Status.OK;
  }

  private static Bson keys(long from, long to) {
    return and(gte("_id", from), lt("_id", to));
  }
}
