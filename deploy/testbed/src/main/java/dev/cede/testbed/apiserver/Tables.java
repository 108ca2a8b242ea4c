package dev.cede.testbed.apiserver;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The tables that {@code kubectl get} prints. */
final class Tables {

    /** Shown only with {@code -o wide}. */
    private static final int WIDE = 1;

    private static final Column NAME =
            column("Name", object -> Json.text(object, "metadata", "name"));
    private static final Column AGE = new Column(
            "Age",
            0,
            (object, now) -> age(Json.text(object, "metadata", "creationTimestamp"), now));

    private static final List<Column> PLAIN = List.of(NAME, AGE);
    private static final List<Column> PODS = List.of(
            NAME,
            column("Ready", PodRow::ready),
            column("Status", PodRow::status),
            column("Restarts", PodRow::restarts),
            AGE,
            wide("IP", pod -> orNone(Json.text(pod, "status", "podIP"))),
            wide("Node", pod -> orNone(Json.text(pod, "spec", "nodeName"))),
            wide("Nominated Node", pod -> orNone(Json.text(pod, "status", "nominatedNodeName"))),
            wide("Readiness Gates", pod -> "<none>"));
    private static final List<Column> NODES = List.of(
            NAME,
            column("Status", Tables::nodeStatus),
            column("Roles", node -> "<none>"),
            AGE,
            column("Version", node -> Json.text(node, "status", "nodeInfo", "kubeletVersion")));
    private static final List<Column> DEPLOYMENTS = List.of(
            NAME,
            column(
                    "Ready",
                    object -> number(object, "readyReplicas") + "/"
                            + Json.number(0, object, "spec", "replicas")),
            column("Up-to-date", object -> number(object, "updatedReplicas")),
            column("Available", object -> number(object, "availableReplicas")),
            AGE);
    private static final List<Column> REPLICA_SETS = List.of(
            NAME,
            column("Desired", object -> Json.text(object, "spec", "replicas")),
            column("Current", object -> number(object, "replicas")),
            column("Ready", object -> number(object, "readyReplicas")),
            AGE);
    private static final List<Column> STATEFUL_SETS = List.of(
            NAME,
            column(
                    "Ready",
                    object -> number(object, "readyReplicas") + "/"
                            + Json.number(0, object, "spec", "replicas")),
            AGE);
    private static final List<Column> JOBS = List.of(
            NAME,
            column("Status", Tables::jobStatus),
            column("Completions", Tables::completions),
            AGE);
    private static final List<Column> PRIORITY_CLASSES = List.of(
            NAME,
            column("Value", object -> Json.text(object, "value")),
            column(
                    "Global-Default",
                    object -> Boolean.toString(object.path("globalDefault").asBoolean(false))),
            AGE,
            column("PreemptionPolicy", object -> Json.text(object, "preemptionPolicy")));
    private static final List<Column> EVENTS = List.of(
            new Column("Last Seen", 0, (event, now) -> age(lastSeen(event), now)),
            column("Type", event -> Json.text(event, "type")),
            column("Reason", event -> Json.text(event, "reason")),
            column(
                    "Object",
                    event -> Json.text(event, "involvedObject", "kind").toLowerCase(Locale.ROOT)
                            + "/" + Json.text(event, "involvedObject", "name")),
            wide(
                    "Source",
                    event -> Json.text(event, "source", "component")
                            + Json.text(event, "reportingComponent")),
            column("Message", event -> Json.text(event, "message").strip()));
    private static final List<Column> NAMESPACES =
            List.of(NAME, column("Status", object -> Json.text(object, "status", "phase")), AGE);

    private Tables() {}

    private record Column(
            String name, int priority, BiFunction<ObjectNode, Instant, String> cell) {}

    private static Column column(String name, Function<ObjectNode, String> cell) {
        return new Column(name, 0, (object, now) -> cell.apply(object));
    }

    private static Column wide(String name, Function<ObjectNode, String> cell) {
        return new Column(name, WIDE, (object, now) -> cell.apply(object));
    }

    static ObjectNode table(
            ResourceKind kind, Collection<ObjectNode> objects, String version, Instant now) {
        List<Column> columns = columns(Kinds.stored(kind));
        ObjectNode table =
                Json.newObject().put("kind", "Table").put("apiVersion", "meta.k8s.io/v1");
        table.putObject("metadata").put("resourceVersion", version);
        ArrayNode definitions = table.putArray("columnDefinitions");
        columns.forEach(column -> define(definitions.addObject(), column));
        ArrayNode rows = table.putArray("rows");
        for (ObjectNode object : objects) {
            ObjectNode row = rows.addObject();
            ArrayNode cells = row.putArray("cells");
            columns.forEach(column -> cells.add(column.cell().apply(object, now)));
            row.set("object", metadataOf(object));
        }
        return table;
    }

    private static List<Column> columns(ResourceKind kind) {
        return switch (kind.plural()) {
            case "pods" -> PODS;
            case "nodes" -> NODES;
            case "namespaces" -> NAMESPACES;
            case "deployments" -> DEPLOYMENTS;
            case "replicasets" -> REPLICA_SETS;
            case "statefulsets" -> STATEFUL_SETS;
            case "jobs" -> JOBS;
            case "priorityclasses" -> PRIORITY_CLASSES;
            case "events" -> EVENTS;
            default -> PLAIN;
        };
    }

    private static void define(ObjectNode definition, Column column) {
        definition.put("name", column.name()).put("type", "string");
        // The format "name" lets kubectl put the kind before it.
        definition.put("format", column.name().equals("Name") ? "name" : "");
        definition.put("description", "").put("priority", column.priority());
    }

    private static ObjectNode metadataOf(ObjectNode object) {
        ObjectNode partial = Json.newObject().put("kind", "PartialObjectMetadata");
        partial.put("apiVersion", "meta.k8s.io/v1").set("metadata", object.path("metadata"));
        return partial;
    }

    private static String number(ObjectNode object, String statusField) {
        return Long.toString(Json.number(0, object, "status", statusField));
    }

    private static String orNone(String text) {
        return text.isEmpty() ? "<none>" : text;
    }

    private static String jobStatus(ObjectNode job) {
        for (String type : List.of("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet")) {
            if (Pods.hasCondition(job, type)) {
                return type;
            }
        }
        return "Running";
    }

    private static String completions(ObjectNode job) {
        String wanted = Json.text(job, "spec", "completions");
        String parallelism = Json.text(job, "spec", "parallelism");
        String all =
                !wanted.isEmpty() ? wanted : parallelism.equals("1") ? "1" : "1 of " + parallelism;
        return number(job, "succeeded") + "/" + all;
    }

    private static String nodeStatus(ObjectNode node) {
        boolean known = Json.objects(node, "status", "conditions").stream()
                .anyMatch(condition -> Json.text(condition, "type").equals("Ready"));
        String ready = !known ? "Unknown" : Pods.hasCondition(node, "Ready") ? "Ready" : "NotReady";
        boolean cordoned = node.path("spec").path("unschedulable").asBoolean(false);
        return cordoned ? ready + ",SchedulingDisabled" : ready;
    }

    private static String lastSeen(ObjectNode event) {
        for (String[] path : List.of(
                new String[] {"series", "lastObservedTime"},
                new String[] {"lastTimestamp"},
                new String[] {"eventTime"})) {
            String time = Json.text(event, path);
            if (!time.isEmpty()) {
                return time;
            }
        }
        return Json.text(event, "metadata", "creationTimestamp");
    }

    /** As kubectl writes ages: the two largest units at most. */
    static String age(String since, Instant now) {
        if (since.isEmpty()) {
            return "<unknown>";
        }
        Duration age = Duration.between(Instant.parse(since), now);
        long seconds = Math.max(0, age.toSeconds());
        if (seconds < 120) {
            return seconds + "s";
        }
        if (seconds < 3600) {
            return seconds / 60 + "m"
                    + (seconds < 600 && seconds % 60 > 0 ? seconds % 60 + "s" : "");
        }
        long hours = seconds / 3600;
        return hours < 48 ? hours + "h" : hours / 24 + "d";
    }
}
