package ycsbook;

import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.BulkWriteOptions;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import com.mongodb.client.result.DeleteResult;
import com.mongodb.client.result.UpdateResult;

import org.bson.Document;
import org.bson.types.Binary;

import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Vector;

/**
 * YCSB's operations on MongoDB: a record is a document, its key the _id, its fields binary values.
 *
 * <p>The same shape as the binding in YCSB's own distribution writes, so that either reads the other's data. YCSB makes
 * one instance per thread. See {@link Settings} for the properties and {@link Failure} for how it ends when it cannot
 * start. An operation that fails gives ERROR, one that finds no such record NOT_FOUND; an unacknowledged write gives OK
 * because nobody knows better.
 */
public class MongoDbClient extends DB {
  // Unordered: the server goes on after a bad document, and the batch is reported as failed all the same.
  private static final InsertManyOptions INSERTS = new InsertManyOptions().ordered(false);
  private static final BulkWriteOptions WRITES = new BulkWriteOptions().ordered(false);
  private static final ReplaceOptions UPSERT = new ReplaceOptions().upsert(true);
  private static final Document BY_KEY = new Document("_id", 1);

  Connection connection;
  WriteGuard.Writer writer;
  private String table;
  private MongoCollection<Document> collection;
  private final List<Document> batch = new ArrayList<>();

  @Override
  public void init() {
    connection = Connection.open(getProperties());
    writer = connection.guard.register();
  }

  /** Writes what is left of a batch, and gives the shared client back. */
  @Override
  public void cleanup() {
    if (!batch.isEmpty()) {
      int waiting = batch.size();
      writer.begin();
      try {
        writeBatch();
      } catch (RuntimeException e) {
        // These records have been counted as BATCHED_OK: only the exit code can still tell.
        Failure.exit(Failure.NOT_WRITTEN, "the last batch of " + waiting + " records was not written: "
            + Failure.describe(e, connection.settings.secrets));
      } finally {
        writer.end();
      }
    }
    Connection.release();
  }

  @Override
  public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
    try {
      Document found = project(in(table).find(byKey(key)), fields).first();
      if (found == null) {
        return Status.NOT_FOUND;
      }
      copy(found, result);
      return Status.OK;
    } catch (RuntimeException e) {
      return failed("READ", e);
    }
  }

  @Override
  public Status scan(String table, String startKey, int count, Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    Document fromStart = new Document("_id", new Document("$gte", startKey));
    FindIterable<Document> found = project(in(table).find(fromStart), fields).sort(BY_KEY).limit(count);
    try (MongoCursor<Document> cursor = found.iterator()) {
      if (!cursor.hasNext()) {
        return Status.NOT_FOUND;
      }
      result.ensureCapacity(count);
      while (cursor.hasNext()) {
        HashMap<String, ByteIterator> record = new HashMap<>();
        copy(cursor.next(), record);
        result.add(record);
      }
      return Status.OK;
    } catch (RuntimeException e) {
      return failed("SCAN", e);
    }
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    Document changes = new Document();
    values.forEach((field, value) -> changes.put(field, value.toArray()));
    writer.begin();
    try {
      UpdateResult result = in(table).updateOne(byKey(key), new Document("$set", changes));
      return result.wasAcknowledged() && result.getMatchedCount() == 0 ? Status.NOT_FOUND : Status.OK;
    } catch (RuntimeException e) {
      return failed("UPDATE", e);
    } finally {
      writer.end();
    }
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    Document document = new Document("_id", key);
    values.forEach((field, value) -> document.put(field, value.toArray()));
    writer.begin();
    try {
      MongoCollection<Document> records = in(table);
      if (connection.settings.batchSize > 1) {
        batch.add(document);
        if (batch.size() < connection.settings.batchSize) {
          return Status.BATCHED_OK;
        }
        writeBatch();
      } else if (connection.settings.upsert) {
        records.replaceOne(byKey(key), document, UPSERT);
      } else {
        records.insertOne(document);
      }
      return Status.OK;
    } catch (RuntimeException e) {
      return failed("INSERT", e);
    } finally {
      writer.end();
    }
  }

  @Override
  public Status delete(String table, String key) {
    writer.begin();
    try {
      DeleteResult result = in(table).deleteOne(byKey(key));
      return result.wasAcknowledged() && result.getDeletedCount() == 0 ? Status.NOT_FOUND : Status.OK;
    } catch (RuntimeException e) {
      return failed("DELETE", e);
    } finally {
      writer.end();
    }
  }

  private MongoCollection<Document> in(String name) {
    if (!name.equals(table)) {
      collection = connection.database.getCollection(name);
      table = name;
    }
    return collection;
  }

  private static Document byKey(String key) {
    return new Document("_id", key);
  }

  private void writeBatch() {
    try {
      if (connection.settings.upsert) {
        List<ReplaceOneModel<Document>> writes = new ArrayList<>(batch.size());
        for (Document document : batch) {
          writes.add(new ReplaceOneModel<>(byKey(document.getString("_id")), document, UPSERT));
        }
        collection.bulkWrite(writes, WRITES);
      } else {
        collection.insertMany(batch, INSERTS);
      }
    } finally {
      batch.clear();
    }
  }

  // Any RuntimeException, because one that escaped would make YCSB exit with 0 in the middle of the run.
  Status failed(String operation, RuntimeException e) {
    Failure.once(operation, e, connection.settings.secrets);
    return Status.ERROR;
  }

  private static FindIterable<Document> project(FindIterable<Document> found, Set<String> fields) {
    if (fields == null) {
      return found;
    }
    Document included = new Document();
    fields.forEach(field -> included.put(field, 1));
    return found.projection(included);
  }

  private static void copy(Document document, Map<String, ByteIterator> result) {
    document.forEach((field, value) -> {
      if (value instanceof Binary) {
        result.put(field, new ByteArrayByteIterator(((Binary) value).getData()));
      }
    });
  }
}
