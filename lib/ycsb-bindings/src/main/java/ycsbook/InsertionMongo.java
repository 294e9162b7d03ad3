package ycsbook;

import static com.mongodb.client.model.Filters.gte;
import static com.mongodb.client.model.Projections.excludeId;
import static com.mongodb.client.model.Projections.fields;
import static com.mongodb.client.model.Projections.include;
import static com.mongodb.client.model.Sorts.ascending;

import org.bson.Document;
import org.bson.conversions.Bson;

import site.ycsb.Status;

import java.util.ArrayList;
import java.util.List;

/** The operations of {@link Insertion} on MongoDB. */
public class InsertionMongo extends MongoStore implements InsertionStore {
  private static final String TIME = "dateandtime";
  private static final String REGISTER = "cashregisterid";
  private static final String CUSTOMER = "customerid";
  private static final String PRICE = "price";
  // The key's, then the secondary ones in the order in which they are counted.
  private static final List<List<String>> INDEXES = List.of(
      List.of("_id"), List.of(PRICE, CUSTOMER), List.of(REGISTER, PRICE, CUSTOMER), List.of(PRICE, TIME, CUSTOMER));

  private int texts;
  private int length;

  @Override
  public void init() {
    super.init();
    texts = Integer.parseInt(getProperties().getProperty("fieldcount"));
    length = Integer.parseInt(getProperties().getProperty("fieldlength"));
    OF_THREAD.set(this);
  }

  @Override
  public Status insertSales(List<Sale> sales) {
    List<Document> documents = new ArrayList<>(sales.size());
    for (Sale sale : sales) {
      documents.add(document(sale));
    }
    return insert(documents);
  }

  @Override
  public Status readIndex(int index, Sale from, int limit) {
    List<String> names = INDEXES.get(index);
    String first = names.get(0);
    Object start = index == 0 ? (Object) from.key : first.equals(PRICE) ? (Object) from.price : from.cashRegister;
    // What the index holds alone, so that the index is all that is read.
    Bson shown = index == 0 ? include("_id") : fields(include(names), excludeId());
    return found(collection.find(gte(first, start)).sort(ascending(names)).projection(shown).limit(limit));
  }

  private Document document(Sale sale) {
    Document document = new Document("_id", sale.key)
        .append(TIME, sale.time)
        .append(REGISTER, sale.cashRegister)
        .append(CUSTOMER, sale.customer)
        .append("productid", sale.product)
        .append(PRICE, sale.price);
    for (int number = 1; number <= texts; number++) {
      document.append("cf" + number, sale.text(length));
    }
    return document;
  }
}
