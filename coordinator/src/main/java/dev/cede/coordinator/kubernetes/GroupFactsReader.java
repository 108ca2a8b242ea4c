package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.GroupRef;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;

/** Reads {@link GroupFacts} out of a PodGroup of either maker. Pure. */
final class GroupFactsReader {
    private GroupFactsReader() {}

    static GroupRef ref(GroupRef.Kind kind, GenericKubernetesResource object) {
        return new GroupRef(
                kind, object.getMetadata().getNamespace(), object.getMetadata().getName());
    }

    /** Without a minimum none of the members waits for another. */
    static GroupFacts read(GroupRef.Kind kind, GenericKubernetesResource object) {
        int minMember = object.get("spec", "minMember") instanceof Number n ? n.intValue() : 0;
        return kind == GroupRef.Kind.VOLCANO
                ? new GroupFacts(
                        ref(kind, object),
                        minMember,
                        object.get("status", "phase") instanceof String phase ? phase : "",
                        object.getMetadata().getResourceVersion())
                : GroupFacts.of(ref(kind, object), minMember);
    }
}
