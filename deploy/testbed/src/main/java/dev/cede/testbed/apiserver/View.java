package dev.cede.testbed.apiserver;

import java.util.Collection;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * How stored objects are shown to one client: as the kind it asked for, as themselves or as rows of
 * a table.
 */
final class View {

    private final ResourceKind kind;
    private final boolean table;
    private final Cluster cluster;

    private View(ResourceKind kind, boolean table, Cluster cluster) {
        this.kind = kind;
        this.table = table;
        this.cluster = cluster;
    }

    static View of(ResourceKind kind, ApiRequest request, Cluster cluster) {
        return new View(kind, request.wantsTable(), cluster);
    }

    ResourceKind kind() {
        return kind;
    }

    ObjectNode one(ObjectNode stored) {
        if (table) {
            String version = Json.text(stored, "metadata", "resourceVersion");
            return Tables.table(kind, List.of(stored), version, cluster.now());
        }
        return shown(stored);
    }

    ObjectNode list(Collection<ObjectNode> stored, long revision) {
        if (table) {
            return Tables.table(kind, stored, Long.toString(revision), cluster.now());
        }
        ObjectNode list = Json.newObject();
        list.put("kind", kind.kind() + "List").put("apiVersion", kind.apiVersion());
        list.putObject("metadata").put("resourceVersion", Long.toString(revision));
        ArrayNode items = list.putArray("items");
        for (ObjectNode object : stored) {
            ObjectNode item = Json.newObject();
            item.setAll(shown(object));
            items.add(item.remove(List.of("kind", "apiVersion")));
        }
        return list;
    }

    private ObjectNode shown(ObjectNode stored) {
        return kind.equals(Kinds.EVENTS_V1) ? EventForms.toEventsV1(stored) : stored;
    }
}
