package ycsbook;

import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;

import org.bson.Document;

import site.ycsb.Status;

import java.util.List;
import java.util.function.Supplier;

/** What the stores of all workloads of our own share on MongoDB: the collection, and calls that never throw. */
class MongoStore extends MongoDbClient {
  MongoCollection<Document> collection;

  @Override
  public void init() {
    super.init();
    collection = connection.database.getCollection(getProperties().getProperty("table"));
  }

  final Status insert(List<Document> documents) {
    return written("INSERT", () -> {
      if (documents.size() == 1) {
        collection.insertOne(documents.get(0));
      } else {
        collection.insertMany(documents);
      }
      return Status.OK;
    });
  }

  /** Fetches all of what is asked for. */
  final Status found(FindIterable<Document> records) {
    return answered("FIND", () -> {
      try (MongoCursor<Document> cursor = records.iterator()) {
        while (cursor.hasNext()) {
          cursor.next();
        }
      }
      return Status.OK;
    });
  }

  final Status written(String operation, Supplier<Status> write) {
    writer.begin();
    try {
      return answered(operation, write);
    } finally {
      writer.end();
    }
  }

  final Status answered(String operation, Supplier<Status> call) {
    try {
      return call.get();
    } catch (RuntimeException e) {
      return failed(operation, e);
    }
  }
}
