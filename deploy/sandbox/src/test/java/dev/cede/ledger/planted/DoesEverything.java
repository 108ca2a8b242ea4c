package dev.cede.ledger.planted;

import dev.cede.v1.PodRef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Planted: a core that reads a file, a clock and chance, logs, starts a thread, sends messages. */
final class DoesEverything {
    private static final Logger LOG = LoggerFactory.getLogger(DoesEverything.class);

    private DoesEverything() {}

    static PodRef run(Path file) {
        LOG.info("{} {}", Instant.now(), Files.exists(file));
        Thread.ofVirtual().start(() -> LOG.info("{}", new Random().nextInt()));
        return PodRef.getDefaultInstance();
    }
}
