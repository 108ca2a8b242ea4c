package dev.cede.sandbox.installed;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the API server wrote down of the coordinators' calls. */
final class AuditLog {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int FORBIDDEN = 403;

    private final Path file;

    AuditLog(Path file) {
        this.file = file;
    }

    /** What a role allows, or a call needs: {@code create /pods/binding}, {@code list apps/jobs}. */
    record Right(String verb, String group, String resource) implements Comparable<Right> {
        @Override
        public int compareTo(Right other) {
            return toString().compareTo(other.toString());
        }

        @Override
        public String toString() {
            return verb + " " + group + "/" + resource;
        }
    }

    static SortedSet<Right> of(ClusterRole role) {
        return role.getRules().stream()
                .flatMap(AuditLog::of)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<Right> of(PolicyRule rule) {
        return rule.getApiGroups().stream()
                .flatMap(group -> rule.getResources().stream()
                        .flatMap(resource -> rule.getVerbs().stream()
                                .map(verb -> new Right(verb, group, resource))));
    }

    /** Rights that were used. */
    SortedSet<Right> used() {
        return rights(lines(), code -> code != FORBIDDEN);
    }

    /** Rights that were missed after so many lines. */
    SortedSet<Right> missed(int after) {
        List<String> lines = lines();
        return rights(lines.subList(after, lines.size()), code -> code == FORBIDDEN);
    }

    int length() {
        return lines().size();
    }

    private static SortedSet<Right> rights(List<String> lines, Predicate<Integer> answered) {
        return lines.stream()
                .map(JSON::readTree)
                .filter(call -> call.has("objectRef"))
                .filter(call ->
                        answered.test(call.path("responseStatus").path("code").asInt(0)))
                .map(AuditLog::right)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Right right(JsonNode call) {
        JsonNode object = call.get("objectRef");
        String below = object.path("subresource").asString("");
        return new Right(
                call.get("verb").asString(),
                object.path("apiGroup").asString(""),
                object.path("resource").asString("") + (below.isEmpty() ? "" : "/" + below));
    }

    /** The last one may be half written. */
    private List<String> lines() {
        try {
            String text = Files.readString(file);
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
