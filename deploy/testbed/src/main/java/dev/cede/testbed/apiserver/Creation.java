package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/** Makes new objects: names, server-owned metadata, admission of the kinds that have one. */
final class Creation {

    /** RFC 1123 subdomain, the form of most names. */
    private static final Pattern NAME =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    private static final int LONGEST_NAME = 253;

    private final Cluster cluster;
    private final PodAdmission pods;

    Creation(Cluster cluster) {
        this.cluster = cluster;
        pods = new PodAdmission(cluster);
    }

    /** The object is taken over, not copied. */
    ObjectNode create(ResourceKind kind, String namespace, ObjectNode object) {
        ObjectNode metadata = Json.child(object, "metadata");
        placeInNamespace(kind, namespace, metadata);
        nameIt(kind, metadata);
        Key key = Key.of(kind, object);
        if (cluster.store().get(key).isPresent()) {
            throw Refusal.alreadyExists(kind, key.name());
        }
        object.put("apiVersion", kind.apiVersion()).put("kind", kind.kind());
        stamp(kind, metadata);
        if (kind.has(ResourceKind.Trait.STATUS_BORN_EMPTY)) {
            object.putObject("status");
        }
        admit(kind, object);
        return cluster.put(key, object);
    }

    private void placeInNamespace(ResourceKind kind, String namespace, ObjectNode metadata) {
        if (!kind.isNamespaced()) {
            metadata.remove("namespace");
            return;
        }
        String own = Json.text(metadata, "namespace");
        if (!own.isEmpty() && !own.equals(namespace)) {
            throw Refusal.badRequest("the namespace of the provided object (" + own
                    + ") does not match the namespace sent on the request (" + namespace + ")");
        }
        metadata.put("namespace", namespace);
        ObjectNode found = cluster.require(new Key(Kinds.NAMESPACES, "", namespace));
        if (Json.isPresent(found, "metadata", "deletionTimestamp")) {
            throw Refusal.forbidden(
                    kind,
                    Json.text(metadata, "name"),
                    "unable to create new content in namespace " + namespace
                            + " because it is being terminated");
        }
    }

    private void nameIt(ResourceKind kind, ObjectNode metadata) {
        String name = Json.text(metadata, "name");
        String prefix = Json.text(metadata, "generateName");
        if (name.isEmpty() && prefix.isEmpty()) {
            throw Refusal.invalid(
                    kind, "", "metadata.name: Required value: name or generateName is required");
        }
        if (name.isEmpty()) {
            name = prefix + cluster.names().suffix();
            metadata.put("name", name);
        }
        if (name.length() > LONGEST_NAME || !NAME.matcher(name).matches()) {
            throw Refusal.invalid(
                    kind,
                    name,
                    ("metadata.name: Invalid value: \"%s\": a lowercase RFC 1123 subdomain of at most %d "
                                    + "characters is accepted")
                            .formatted(name, LONGEST_NAME));
        }
    }

    private void stamp(ResourceKind kind, ObjectNode metadata) {
        if (!Json.text(metadata, "resourceVersion").isEmpty()) {
            throw Refusal.badRequest("resourceVersion should not be set on objects to be created");
        }
        metadata.remove(List.of(
                "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields", "selfLink"));
        metadata.put("uid", cluster.names().uid());
        metadata.put("creationTimestamp", cluster.timestamp());
        if (kind.has(ResourceKind.Trait.GENERATION)) {
            metadata.put("generation", 1L);
        }
    }

    private void admit(ResourceKind kind, ObjectNode object) {
        if (kind.equals(Kinds.PODS)) {
            pods.admit(object);
        } else if (kind.has(ResourceKind.Trait.SCALE) || kind.equals(Kinds.JOBS)) {
            WorkloadAdmission.admit(kind, object);
        } else if (kind.equals(Kinds.NAMESPACES)) {
            Json.child(object, "spec").putArray("finalizers").add("kubernetes");
            Json.child(object, "status").put("phase", "Active");
        } else if (kind.equals(Kinds.PRIORITY_CLASSES)) {
            admitPriorityClass(object);
        } else if (kind.equals(Kinds.EVENTS)) {
            admitEvent(object);
        }
    }

    /** An event without a time of its newer form is beside the object it is about. */
    private static void admitEvent(ObjectNode object) {
        String namespace = Json.text(object, "metadata", "namespace");
        String about = Json.text(object, "involvedObject", "namespace");
        boolean clusterWide = about.isEmpty() && namespace.equals("default");
        boolean newer = Json.isPresent(object, "eventTime");
        if (!newer && !clusterWide && !about.equals(namespace)) {
            throw Refusal.invalid(
                    Kinds.EVENTS,
                    Json.text(object, "metadata", "name"),
                    "involvedObject.namespace: Invalid value: \"%s\": accepted is %s"
                            .formatted(about, namespace));
        }
    }

    private void admitPriorityClass(ObjectNode object) {
        String name = Json.text(object, "metadata", "name");
        if (!object.path("value").isIntegralNumber()) {
            throw Refusal.invalid(
                    Kinds.PRIORITY_CLASSES, name, "value: Required value: an integer is accepted");
        }
        if (Json.text(object, "preemptionPolicy").isEmpty()) {
            object.put("preemptionPolicy", "PreemptLowerPriority");
        }
        Optional<ObjectNode> other = cluster.store().list(Kinds.PRIORITY_CLASSES, "").stream()
                .filter(found -> found.path("globalDefault").asBoolean(false))
                .findFirst();
        if (object.path("globalDefault").asBoolean(false) && other.isPresent()) {
            throw Refusal.forbidden(
                    Kinds.PRIORITY_CLASSES,
                    name,
                    "PriorityClass " + Json.text(other.get(), "metadata", "name")
                            + " is already marked as default. Only one default can exist");
        }
    }
}
