package ycsbook;

import com.mongodb.ConnectionString;
import com.mongodb.connection.SslSettings;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * TLS as the URL asks for it, so that one URL serves this driver and every other.
 *
 * <p>The Java driver leaves the files of a connection string to the program and ignores them. Read here: tlsCAFile,
 * tlsCertificateKeyFile (both PEM), tlsAllowInvalidCertificates, tlsAllowInvalidHostnames and tlsInsecure, as MongoDB's
 * URI options specification has them. Certificate and host name are verified unless the URL says otherwise.
 */
final class Tls {
  private static final Pattern PEM = Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]+)-----END \\1-----");
  private static final String[] KEY_KINDS = {"RSA", "EC", "Ed25519"};
  private static final String[] OPTIONS = {"tlsCAFile", "tlsCertificateKeyFile", "tlsAllowInvalidCertificates",
      "tlsAllowInvalidHostnames", "tlsInsecure"};

  private final Map<String, String> options;
  private final Boolean enabled;

  Tls(ConnectionString url) {
    options = options(url.getConnectionString());
    enabled = url.getSslEnabled();
  }

  /** Adds to the settings what the URL says. */
  void apply(SslSettings.Builder settings) throws Failure.StartException {
    String given = given();
    if (given == null) {
      return;
    }
    if (Boolean.FALSE.equals(enabled)) {
      throw bad(given, "stands beside tls=false; leave one of them out");
    }
    boolean anyCertificate = is("tlsAllowInvalidCertificates") || is("tlsInsecure");
    // Without a certificate that can be trusted its name says nothing, and Python's driver does not ask for it either.
    settings.enabled(true).invalidHostNameAllowed(anyCertificate || is("tlsAllowInvalidHostnames"));
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys(), anyCertificate ? new TrustManager[] {new TrustAll()} : authorities(), null);
      settings.context(context);
    } catch (GeneralSecurityException | IOException e) {
      throw bad(given, "this Java cannot use it: " + e.getMessage());
    }
  }

  private String given() {
    for (String option : OPTIONS) {
      if (options.containsKey(option.toLowerCase(Locale.ROOT))) {
        return option;
      }
    }
    return null;
  }

  private boolean is(String option) {
    return "true".equals(options.get(option.toLowerCase(Locale.ROOT)));
  }

  /** Null, which is Java's own list, where the URL names no file. */
  private TrustManager[] authorities() throws GeneralSecurityException, IOException, Failure.StartException {
    String option = "tlsCAFile";
    if (!options.containsKey(option.toLowerCase(Locale.ROOT))) {
      return null;
    }
    KeyStore store = empty();
    int number = 0;
    for (Certificate certificate : certificates(option, blocks(option))) {
      store.setCertificateEntry("ca-" + number++, certificate);
    }
    TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  /** Null, no certificate of our own, where the URL names no file. */
  private KeyManager[] keys() throws GeneralSecurityException, IOException, Failure.StartException {
    String option = "tlsCertificateKeyFile";
    if (!options.containsKey(option.toLowerCase(Locale.ROOT))) {
      return null;
    }
    List<Block> blocks = blocks(option);
    Certificate[] chain = certificates(option, blocks).toArray(new Certificate[0]);
    KeyStore store = empty();
    char[] unused = new char[0];
    store.setKeyEntry("client", key(option, blocks), unused, chain);
    KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, unused);
    return factory.getKeyManagers();
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private record Block(String kind, byte[] bytes) {
  }

  private List<Block> blocks(String option) throws Failure.StartException {
    String path = options.get(option.toLowerCase(Locale.ROOT));
    List<Block> found = new ArrayList<>();
    try {
      Matcher matcher = PEM.matcher(Files.readString(Path.of(path), StandardCharsets.ISO_8859_1));
      while (matcher.find()) {
        // What it cannot decode, such as the headers of an old encrypted key, is no key that could be used.
        byte[] bytes = matcher.group(2).contains(":") ? new byte[0] : Base64.getMimeDecoder().decode(matcher.group(2));
        found.add(new Block(matcher.group(1), bytes));
      }
    } catch (IOException | IllegalArgumentException e) {
      throw bad(option, "'" + path + "' cannot be read (" + e.getClass().getSimpleName() + ")");
    }
    return found;
  }

  private static List<Certificate> certificates(String option, List<Block> blocks)
      throws GeneralSecurityException, Failure.StartException {
    List<Certificate> found = new ArrayList<>();
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    for (Block block : blocks) {
      if (block.kind.equals("CERTIFICATE")) {
        found.add(factory.generateCertificate(new ByteArrayInputStream(block.bytes)));
      }
    }
    if (found.isEmpty()) {
      throw bad(option, "the file holds no certificate in PEM form");
    }
    return found;
  }

  private static PrivateKey key(String option, List<Block> blocks)
      throws GeneralSecurityException, Failure.StartException {
    for (Block block : blocks) {
      if (block.kind.equals("PRIVATE KEY")) {
        for (String kind : KEY_KINDS) {
          try {
            return KeyFactory.getInstance(kind).generatePrivate(new PKCS8EncodedKeySpec(block.bytes));
          } catch (InvalidKeySpecException e) {
            // A key of another kind: the next one is tried.
          }
        }
      }
    }
    throw bad(option, "the file holds no unencrypted PKCS#8 private key; convert it with openssl pkcs8 -topk8 -nocrypt");
  }

  private static Map<String, String> options(String url) {
    Map<String, String> found = new HashMap<>();
    int mark = url.indexOf('?');
    for (String option : mark < 0 ? new String[0] : url.substring(mark + 1).split("[&;]")) {
      int equals = option.indexOf('=');
      if (equals > 0) {
        found.put(option.substring(0, equals).toLowerCase(Locale.ROOT),
            URLDecoder.decode(option.substring(equals + 1), StandardCharsets.UTF_8));
      }
    }
    return found;
  }

  private static Failure.StartException bad(String option, String what) {
    return new Failure.StartException(Failure.BAD_PROPERTY, "mongodb.url: " + option + ": " + what);
  }

  /** Accepts whoever answers, because the URL asks for that; the manifest of the run says so. */
  private static final class TrustAll extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind) {
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, Socket socket) {
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind) {
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, Socket socket) {
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String kind, SSLEngine engine) {
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
