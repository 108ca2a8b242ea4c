package dev.cede.coordinator.cluster;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An explicit group, as its members name it (E1). */
public record GroupRef(Kind kind, String namespace, String name) {
    /** Whose PodGroup it is. */
    public enum Kind {
        VOLCANO,
        SCHEDULER_PLUGINS
    }

    /** The first that is there counts: what Volcano's own scheduler reads, then what others set. */
    private static final List<String> ANNOTATIONS =
            List.of("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name");

    private static final String LABEL = "scheduling.x-k8s.io/pod-group";

    static Optional<GroupRef> of(
            String namespace, Map<String, String> annotations, Map<String, String> labels) {
        return ANNOTATIONS.stream()
                .map(annotations::get)
                .filter(name -> name != null && !name.isEmpty())
                .findFirst()
                .map(name -> new GroupRef(Kind.VOLCANO, namespace, name))
                .or(() -> Optional.ofNullable(labels.get(LABEL))
                        .filter(name -> !name.isEmpty())
                        .map(name -> new GroupRef(Kind.SCHEDULER_PLUGINS, namespace, name)));
    }

    /** As an operator names it. */
    @Override
    public String toString() {
        String of = kind == Kind.VOLCANO ? "Volcano" : "scheduler-plugins";
        return of + " PodGroup " + namespace + "/" + name;
    }
}
