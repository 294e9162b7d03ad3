import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;

/**
 * Writes the certificates of a PEM bundle into a trust store for Java: {@code java TrustStore.java BUNDLE STORE PASSWORD}.
 *
 * <p>Java keeps a list of its own. Where a company's certificate is known to the system only, pip and git reach their
 * sources and Maven does not; lib/setup.sh then lets Maven trust what the system trusts, no less and no more.
 */
final class TrustStore {
  private TrustStore() {}

  public static void main(String[] arguments) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (var bundle = new FileInputStream(arguments[0])) {
      int number = 0;
      for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(bundle)) {
        store.setCertificateEntry("system-" + number++, certificate);
      }
    }
    try (var file = new FileOutputStream(arguments[1])) {
      store.store(file, arguments[2].toCharArray());
    }
  }
}
