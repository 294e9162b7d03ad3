package ycsbook;

import java.nio.charset.StandardCharsets;

/**
 * A record of {@link Crud}: a key, an age from 0 to 100, and four texts of 256 bytes, Chinese and ASCII mixed.
 *
 * <p>A text begins with eight hexadecimal digits that follow from key and field, so that a search finds few records.
 */
final class CrudRecord {
  static final int FIELDS = 4;
  static final int AGES = 101;
  private static final int TEXT_BYTES = 256;
  private static final int DIGITS = 8;
  private static final String TAIL = tail("asdf123456撒旦法！#￥%QWE7890", TEXT_BYTES - DIGITS);

  final long key;

  CrudRecord(long key) {
    this.key = key;
  }

  int age() {
    return (int) Math.floorMod(mix(key), (long) AGES);
  }

  /** The text of a field, 1 to 4. */
  String text(int field) {
    return text(mix(key * FIELDS + field));
  }

  /** A text that begins with the last 32 bits of a number. */
  static String text(long number) {
    return String.format("%08x", (int) number) + TAIL;
  }

  /** Spreads neighbouring numbers over all 64 bits (the finaliser of SplitMix64, Steele, Lea and Flood 2014). */
  static long mix(long number) {
    long mixed = number + 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }

  private static String tail(String pattern, int bytes) {
    String whole = pattern.repeat(bytes / pattern.getBytes(StandardCharsets.UTF_8).length);
    return whole + "x".repeat(bytes - whole.getBytes(StandardCharsets.UTF_8).length);
  }
}
