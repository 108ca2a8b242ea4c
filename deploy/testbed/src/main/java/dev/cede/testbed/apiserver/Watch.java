package dev.cede.testbed.apiserver;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * One watch: a place in the history and what of it is of interest. It is asked for its news; it
 * never calls back. Like the core it belongs to one thread at a time.
 */
public final class Watch {

    private static final String FROM_NOW = "";
    private static final String FROM_ANY = "0";

    private final Cluster cluster;
    private final View view;
    private final Selection selection;
    private final ApiRequest request;
    private final List<ObjectNode> initial = new ArrayList<>();
    private long after;
    private boolean over;

    private Watch(Cluster cluster, View view, Selection selection, ApiRequest request) {
        this.cluster = cluster;
        this.view = view;
        this.selection = selection;
        this.request = request;
    }

    static Watch of(Cluster cluster, Route route, ApiRequest request) {
        View view = View.of(route.kind(), request, cluster);
        Watch watch = new Watch(cluster, view, Selection.of(route, request), request);
        watch.begin();
        return watch;
    }

    /** Whether an error was the last event. */
    public boolean isOver() {
        return over;
    }

    /** The events since the last call, oldest first; after an error the watch is over. */
    public List<ObjectNode> poll(Instant now) {
        cluster.beginAt(now);
        List<ObjectNode> events = new ArrayList<>(initial);
        initial.clear();
        try {
            for (Change change : cluster.store().changesAfter(after)) {
                eventOf(change).ifPresent(events::add);
                after = change.revision();
            }
        } catch (Refusal refusal) {
            over = true;
            events.add(event("ERROR", refusal.status()));
        }
        return events;
    }

    /** A bookmark of how far the watch is, if the client takes bookmarks. */
    public Optional<ObjectNode> bookmark() {
        if (!request.isTrue("allowWatchBookmarks") || over) {
            return Optional.empty();
        }
        return Optional.of(event("BOOKMARK", bookmarkObject()));
    }

    private void begin() {
        String from = request.queryValue("resourceVersion");
        boolean sendInitial = request.isTrue("sendInitialEvents");
        if (!sendInitial && !from.equals(FROM_NOW) && !from.equals(FROM_ANY)) {
            after = parseRevision(from);
            return;
        }
        after = cluster.store().revision();
        for (ObjectNode object : cluster.store().list(selection.kind(), selection.namespace())) {
            if (selection.matches(object)) {
                initial.add(event("ADDED", view.one(object)));
            }
        }
        if (sendInitial && request.isTrue("allowWatchBookmarks")) {
            ObjectNode end = bookmarkObject();
            Json.child(end, "metadata", "annotations").put("k8s.io/initial-events-end", "true");
            initial.add(event("BOOKMARK", end));
        }
    }

    static long parseRevision(String text) {
        try {
            return Long.parseUnsignedLong(text);
        } catch (NumberFormatException e) {
            throw Refusal.badRequest("resourceVersion: Invalid value: \"" + text + "\"");
        }
    }

    private ObjectNode bookmarkObject() {
        ResourceKind kind = view.kind();
        ObjectNode object = Json.newObject();
        object.put("kind", kind.kind()).put("apiVersion", kind.apiVersion());
        Json.child(object, "metadata").put("resourceVersion", Long.toString(after));
        return object;
    }

    /** An object that leaves the selection is deleted for this watch, one that enters is added. */
    private Optional<ObjectNode> eventOf(Change change) {
        if (!selection.covers(change.key())) {
            return Optional.empty();
        }
        boolean was = change.previous().filter(selection::matches).isPresent();
        boolean is = change.type() != Change.Type.DELETED && selection.matches(change.object());
        if (!was && !is) {
            return Optional.empty();
        }
        Change.Type type =
                !was ? Change.Type.ADDED : is ? Change.Type.MODIFIED : Change.Type.DELETED;
        return Optional.of(event(type.name(), view.one(lastSeen(change, is))));
    }

    private static ObjectNode lastSeen(Change change, boolean is) {
        if (is || change.type() == Change.Type.DELETED) {
            return change.object();
        }
        ObjectNode last = change.previous().orElseThrow().deepCopy();
        Json.child(last, "metadata").put("resourceVersion", Long.toString(change.revision()));
        return last;
    }

    static ObjectNode event(String type, ObjectNode object) {
        ObjectNode event = Json.newObject().put("type", type);
        event.set("object", object);
        return event;
    }
}
