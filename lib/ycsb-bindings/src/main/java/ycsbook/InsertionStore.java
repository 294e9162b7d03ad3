package ycsbook;

import site.ycsb.Status;

import java.util.List;

/** The operations of {@link Insertion} on one server; an instance per client thread. None throws. */
interface InsertionStore {
  /** The store of this thread. */
  ThreadLocal<InsertionStore> OF_THREAD = new ThreadLocal<>();

  Status insertSales(List<Sale> sales);

  /** The values of a secondary index, in its order from those of a sale on; index 0 is that of the keys. */
  Status readIndex(int index, Sale from, int limit);
}
