import java.io.ByteArrayInputStream;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Properties;
import java.util.TreeSet;

/** Reads properties files, each as a line of hexadecimal digits; prints the map Java finds in it as UTF-16, likewise. */
class EchoProperties {
  public static void main(String[] arguments) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Properties properties = new Properties();
      properties.load(new ByteArrayInputStream(HexFormat.of().parseHex(line)));
      StringBuilder out = new StringBuilder();
      for (String key : new TreeSet<>(properties.stringPropertyNames())) {
        out.append(hex(key)).append('=').append(hex(properties.getProperty(key))).append(' ');
      }
      System.out.println(out);
      System.out.flush();
    }
  }

  private static String hex(String text) {
    StringBuilder digits = new StringBuilder();
    text.chars().forEach(unit -> digits.append(String.format("%04x", unit)));
    return digits.toString();
  }
}
