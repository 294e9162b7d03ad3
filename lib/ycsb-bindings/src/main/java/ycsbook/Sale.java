package ycsbook;

import java.util.SplittableRandom;

/**
 * A record of {@link Insertion}: a sale, with the fields and ranges that iibench gives it.
 *
 * <p>What it holds follows from its key alone, but for its time.
 */
final class Sale {
  private static final int CASH_REGISTERS = 1_000;
  private static final int CUSTOMERS = 100_000;
  private static final int PRODUCTS = 10_000;
  private static final double MOST = 500;
  private static final String DIGITS = "0123456789abcdef";

  final long key;
  final long time = System.currentTimeMillis();
  final int cashRegister;
  final int customer;
  final int product;
  final double price;
  private final SplittableRandom random;

  Sale(long key) {
    this.key = key;
    random = new SplittableRandom(CrudRecord.mix(key));
    cashRegister = random.nextInt(CASH_REGISTERS);
    customer = random.nextInt(CUSTOMERS);
    product = random.nextInt(PRODUCTS);
    price = (random.nextDouble() * MOST + customer) / 100;
  }

  /** The next text, of which half can be compressed. */
  String text(int length) {
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length / 2; i++) {
      text.append(DIGITS.charAt(random.nextInt(DIGITS.length())));
    }
    return text.append("a".repeat(length - text.length())).toString();
  }
}
