package ycsbook;

import com.mongodb.client.MongoCollection;

import org.bson.Document;

/** The inserts of {@link LedgerInserts} on MongoDB. */
public class LedgerMongo extends MongoDbClient {
  /** The store of this thread: YCSB hands a workload its database wrapped. */
  static final ThreadLocal<LedgerMongo> OF_THREAD = new ThreadLocal<>();

  private MongoCollection<Document> collection;

  @Override
  public void init() {
    super.init();
    collection = connection.database.getCollection(getProperties().getProperty("table"));
    OF_THREAD.set(this);
  }

  /** Inserts the document with this id; what went wrong, or null. */
  RuntimeException insert(long id) {
    Document document = CrudMongo.document(new CrudRecord(id), true);
    SentTo.forget();
    writer.begin();
    try {
      collection.insertOne(document);
      return null;
    } catch (RuntimeException e) {
      failed("INSERT", e);
      return e;
    } finally {
      writer.end();
    }
  }

  /** Whether a server answers writes, or nobody does. */
  boolean isAcknowledged() {
    return connection.settings.client.getWriteConcern().isAcknowledged();
  }
}
