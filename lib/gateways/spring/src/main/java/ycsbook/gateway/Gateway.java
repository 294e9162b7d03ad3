package ycsbook.gateway;

import com.fasterxml.jackson.annotation.JsonProperty;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.data.annotation.Id;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.Pageable;
import org.springframework.data.mongodb.core.mapping.Document;
import org.springframework.data.mongodb.repository.MongoRepository;
import org.springframework.data.mongodb.repository.config.EnableMongoRepositories;
import org.springframework.data.repository.query.Param;
import org.springframework.data.rest.core.annotation.RepositoryRestResource;
import org.springframework.data.rest.webmvc.config.RepositoryRestConfigurer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Spring Data REST in front of the documents of the crud experiment, with its own defaults; it tells keys as well. */
@SpringBootApplication
@EnableMongoRepositories(considerNestedRepositories = true)
public class Gateway {
  /** A document, as ycsbook.CrudRecord makes it. */
  @Document("crud")
  public static class Item {
    @Id
    @JsonProperty("_id")
    public Long id;
    public Integer age;
    public String test1;
    public String test2;
    public String test3;
    public String test4;
  }

  /** The requests: /crud, /crud/KEY and /crud/search/findByAge. */
  @RepositoryRestResource(path = "crud", collectionResourceRel = "_items")
  public interface Items extends MongoRepository<Item, Long> {
    /** The documents of an age, a page of them. */
    Page<Item> findByAge(@Param("age") int age, Pageable page);
  }

  @Bean
  RepositoryRestConfigurer keys() {
    return RepositoryRestConfigurer.withConfig((config, cors) -> config.exposeIdsFor(Item.class));
  }

  /**
   * Starts it on the port of GATEWAY_PORT.
   *
   * @throws IOException the file with the database's address cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    // The address holds a password: it stands in a file that only we can read.
    System.setProperty("spring.data.mongodb.uri", Files.readString(Path.of(System.getenv("GATEWAY_URI_FILE"))));
    System.setProperty("server.port", System.getenv("GATEWAY_PORT"));
    System.setProperty("server.address", "127.0.0.1");
    System.setProperty("spring.main.banner-mode", "off");
    SpringApplication.run(Gateway.class, arguments);
  }
}
