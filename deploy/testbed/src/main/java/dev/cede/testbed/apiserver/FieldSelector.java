package dev.cede.testbed.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A field selector as it stands in a query: {@code spec.nodeName=a,status.phase!=Failed}. */
final class FieldSelector {

    static final FieldSelector EVERYTHING = new FieldSelector(List.of());

    private static final List<String> EVERY_KIND = List.of("metadata.name", "metadata.namespace");

    /** Only these fields can be selected by, as on a real server. */
    private static final Map<String, List<String>> BY_KIND = Map.of(
            Kinds.PODS.plural(),
            List.of(
                    "spec.nodeName",
                    "spec.restartPolicy",
                    "spec.schedulerName",
                    "spec.serviceAccountName",
                    "status.phase",
                    "status.podIP",
                    "status.nominatedNodeName"),
            Kinds.NODES.plural(),
            List.of("spec.unschedulable"),
            Kinds.NAMESPACES.plural(),
            List.of("status.phase"),
            Kinds.REPLICA_SETS.plural(),
            List.of("status.replicas"),
            Kinds.EVENTS.plural(),
            List.of(
                    "involvedObject.kind",
                    "involvedObject.namespace",
                    "involvedObject.name",
                    "involvedObject.uid",
                    "involvedObject.apiVersion",
                    "involvedObject.resourceVersion",
                    "involvedObject.fieldPath",
                    "reason",
                    "reportingComponent",
                    "source",
                    "type"));

    private final List<Term> terms;

    private FieldSelector(List<Term> terms) {
        this.terms = terms;
    }

    private record Term(String field, String value, boolean equal) {

        boolean matches(JsonNode object) {
            String path = field.equals("source") ? "source.component" : field;
            String actual = Json.text(object, path.split("\\.", -1));
            if (field.equals("spec.unschedulable") && actual.isEmpty()) {
                actual = "false";
            }
            return actual.equals(value) == equal;
        }
    }

    static FieldSelector parse(String text, ResourceKind kind) {
        if (text.isBlank()) {
            return EVERYTHING;
        }
        List<Term> terms = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            terms.add(term(part.strip(), kind));
        }
        return new FieldSelector(terms);
    }

    boolean matches(JsonNode object) {
        return terms.stream().allMatch(term -> term.matches(object));
    }

    private static Term term(String text, ResourceKind kind) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw Refusal.badRequest(
                    "fieldSelector: cannot read \"" + text + "\"; accepted are f=v, f==v and f!=v");
        }
        boolean equal = text.charAt(equals - 1) != '!';
        String field = text.substring(0, equal ? equals : equals - 1).strip();
        String value = text.substring(equals + 1);
        requireSelectable(field, kind);
        return new Term(field, (value.startsWith("=") ? value.substring(1) : value).strip(), equal);
    }

    private static void requireSelectable(String field, ResourceKind kind) {
        boolean known = EVERY_KIND.contains(field)
                || BY_KIND.getOrDefault(kind.plural(), List.of()).contains(field);
        if (!known) {
            throw Refusal.badRequest("field label not supported: " + field);
        }
    }
}
