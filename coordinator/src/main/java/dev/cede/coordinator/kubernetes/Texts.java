package dev.cede.coordinator.kubernetes;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Optional;

/** Fields of API objects that may be absent. */
final class Texts {
    private Texts() {}

    static String orEmpty(String text) {
        return text == null ? "" : text;
    }

    static Optional<String> given(String text) {
        return Optional.ofNullable(text).filter(t -> !t.isEmpty());
    }

    static Optional<Instant> time(String text) {
        return given(text).map(t -> OffsetDateTime.parse(t).toInstant());
    }
}
