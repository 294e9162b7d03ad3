package ycsbook;

import com.mongodb.ConnectionString;
import com.mongodb.MongoCredential;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What must not be shown: the URL, the user name and the password, as they are and percent-encoded. */
final class Secrets {
  private static final String HIDDEN = "REDACTED";
  private static final int SHORTEST = 3;

  private final List<String> values = new ArrayList<>();

  /** A password by itself. */
  Secrets(String password) {
    add(password);
    values.sort(Comparator.comparingInt(String::length).reversed());
  }

  Secrets(ConnectionString url) {
    add(url.getConnectionString());
    MongoCredential credential = url.getCredential();
    if (credential != null) {
      add(credential.getUserName());
      if (credential.getPassword() != null) {
        add(new String(credential.getPassword()));
      }
    }
    values.sort(Comparator.comparingInt(String::length).reversed());
  }

  String redact(String text) {
    String redacted = text;
    for (String value : values) {
      redacted = redacted.replace(value, HIDDEN);
    }
    return redacted;
  }

  private void add(String value) {
    if (value != null && value.length() >= SHORTEST) {
      values.add(value);
      values.add(URLEncoder.encode(value, StandardCharsets.UTF_8));
      values.add(URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20"));
    }
  }
}
