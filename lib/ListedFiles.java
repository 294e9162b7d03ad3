import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import org.apache.maven.eventspy.AbstractEventSpy;
import org.eclipse.aether.RepositoryEvent;
import org.eclipse.aether.artifact.Artifact;

/**
 * Ends Maven before it uses a jar or pom whose SHA-256 is not that of the list named by the property ycsbook.listed.
 *
 * <p>Maven tells its event spies of each file it has found or downloaded, plugins as well, before it reads the file.
 * lib/setup.sh compiles this one and puts it into Maven. What Maven does with exceptions of a spy is to log them and to go
 * on: hence {@code System.exit}.
 */
public final class ListedFiles extends AbstractEventSpy {
  private final Map<String, String> listed = new HashMap<>();
  private final Set<String> checked = new HashSet<>();
  private final String list = System.getProperty("ycsbook.listed");

  @Override
  public void init(Context context) {
    try {
      for (String line : Files.readAllLines(Path.of(list))) {
        listed.put(line.substring(66), line.substring(0, 64));
      }
    } catch (Exception e) {
      end(list + ": cannot be read as lines of a SHA-256 and a file: " + e);
    }
  }

  @Override
  public synchronized void onEvent(Object event) {
    if (event instanceof RepositoryEvent found
        && found.getType() == RepositoryEvent.EventType.ARTIFACT_RESOLVED
        && found.getFile() != null) {
      check(found.getArtifact(), found.getFile());
    }
  }

  /** The last line of a build in which all was as listed; lib/setup.sh asks for it. */
  @Override
  public void close() {
    System.out.println("listed: " + checked.size());
  }

  private void check(Artifact artifact, File file) {
    String name = artifact.getArtifactId() + "-" + artifact.getVersion();
    String classifier = artifact.getClassifier().isEmpty() ? "" : "-" + artifact.getClassifier();
    String folder = artifact.getGroupId().replace('.', '/') + "/" + artifact.getArtifactId() + "/" + artifact.getVersion();
    String path = folder + "/" + name + classifier + "." + artifact.getExtension();
    if (!checked.add(path)) {
      return;
    }
    String expected = listed.get(path);
    if (expected == null) {
      end(file + ": not listed in " + list + "; the list was made with Maven 3.8.7 and 3.9.9: use one of them, or make "
          + "the list again after a change of pom.xml, which says how");
    }
    String digest = null;
    try {
      digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file.toPath())));
    } catch (Exception e) {
      end(file + ": cannot be read: " + e);
    }
    if (!digest.equals(expected)) {
      end(file + ": its SHA-256 is " + digest + ", expected " + expected + " (" + list + "); Maven has not used it: "
          + "delete it and run `make jar`; if it comes back, the mirror that Maven is set up with has another file");
    }
  }

  private static void end(String why) {
    System.err.println(why);
    System.exit(1);
  }
}
