package dev.cede.testbed.apiserver;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.node.ObjectNode;

/**
 * All objects, one revision counter and the last changes. An object that was put in is never
 * changed again; a write puts a new one in its place.
 */
final class Store {

    /** After every name that can follow, so that a range of one namespace can be cut out. */
    private static final String LAST = "\uffff";

    private final NavigableMap<Key, ObjectNode> objects = new TreeMap<>();
    private final NavigableMap<String, Key> byUid = new TreeMap<>();
    private final NavigableMap<String, NavigableMap<Key, ObjectNode>> dependents = new TreeMap<>();
    private final ArrayDeque<Change> history = new ArrayDeque<>();
    private final int historyLimit;
    private long revision;

    Store(int historyLimit) {
        this.historyLimit = historyLimit;
    }

    long revision() {
        return revision;
    }

    Optional<ObjectNode> get(Key key) {
        return Optional.ofNullable(objects.get(key));
    }

    boolean hasUid(String uid) {
        return byUid.containsKey(uid);
    }

    Optional<Key> keyOfUid(String uid) {
        return Optional.ofNullable(byUid.get(uid));
    }

    /** The objects of a kind by namespace and name; an empty namespace means all. */
    Collection<ObjectNode> list(ResourceKind kind, String namespace) {
        String last = namespace.isEmpty() ? LAST : namespace;
        Key from = new Key(kind, namespace, "");
        Key to = new Key(kind, last, LAST);
        return objects.subMap(from, true, to, true).values();
    }

    /** The same at an earlier revision; a refusal with code 410 if that is no longer known. */
    Collection<ObjectNode> listAt(long at, ResourceKind kind, String namespace) {
        NavigableMap<Key, ObjectNode> found = new TreeMap<>();
        list(kind, namespace).forEach(object -> found.put(Key.of(kind, object), object));
        for (Change change : changesAfter(at).reversed()) {
            Key key = change.key();
            if (key.kind().equals(kind)
                    && (namespace.isEmpty() || key.namespace().equals(namespace))) {
                found.remove(key);
                change.previous().ifPresent(previous -> found.put(key, previous));
            }
        }
        return found.values();
    }

    List<Key> keysIn(String namespace) {
        return objects.keySet().stream()
                .filter(key -> key.kind().isNamespaced() && key.namespace().equals(namespace))
                .toList();
    }

    /** The objects that name this UID as an owner. */
    NavigableMap<Key, ObjectNode> dependentsOf(String uid) {
        return new TreeMap<>(dependents.getOrDefault(uid, new TreeMap<>()));
    }

    /** Puts the object in under the next revision, which is written into it. */
    Change put(Key key, ObjectNode object) {
        Optional<ObjectNode> previous = get(key);
        previous.ifPresent(old -> unlink(key, old));
        stampRevision(object);
        objects.put(key, object);
        link(key, object);
        return record(new Change(
                revision,
                previous.isPresent() ? Change.Type.MODIFIED : Change.Type.ADDED,
                key,
                object,
                previous));
    }

    /** Takes an object out; {@code last} is what watchers see of it. */
    Change remove(Key key, ObjectNode last) {
        ObjectNode previous = objects.remove(key);
        unlink(key, previous);
        stampRevision(last);
        return record(new Change(revision, Change.Type.DELETED, key, last, Optional.of(previous)));
    }

    /** The changes after a revision; a refusal with code 410 if they are no longer known. */
    List<Change> changesAfter(long after) {
        long oldest = history.isEmpty() ? revision + 1 : history.peekFirst().revision();
        if (after + 1 < oldest) {
            throw Refusal.expired(after, oldest);
        }
        List<Change> found = new ArrayList<>();
        Iterator<Change> newestFirst = history.descendingIterator();
        while (newestFirst.hasNext()) {
            Change change = newestFirst.next();
            if (change.revision() <= after) {
                break;
            }
            found.add(change);
        }
        return found.reversed();
    }

    private void stampRevision(ObjectNode object) {
        revision++;
        Json.child(object, "metadata").put("resourceVersion", Long.toString(revision));
    }

    private Change record(Change change) {
        history.addLast(change);
        if (history.size() > historyLimit) {
            history.removeFirst();
        }
        return change;
    }

    private void link(Key key, ObjectNode object) {
        byUid.put(Json.text(object, "metadata", "uid"), key);
        for (String owner : owners(object)) {
            dependents.computeIfAbsent(owner, uid -> new TreeMap<>()).put(key, object);
        }
    }

    private void unlink(Key key, ObjectNode object) {
        byUid.remove(Json.text(object, "metadata", "uid"));
        for (String owner : owners(object)) {
            NavigableMap<Key, ObjectNode> owned = dependents.get(owner);
            owned.remove(key);
            if (owned.isEmpty()) {
                dependents.remove(owner);
            }
        }
    }

    private static Set<String> owners(ObjectNode object) {
        Set<String> uids = new TreeSet<>();
        for (ObjectNode reference : Json.objects(object, "metadata", "ownerReferences")) {
            uids.add(Json.text(reference, "uid"));
        }
        return uids;
    }
}
