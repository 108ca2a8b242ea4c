package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One row of the table of what this server serves.
 *
 * @param group API group, empty for the core group
 * @param version API version
 * @param plural name in paths
 * @param kind name in objects
 * @param shortNames what kubectl accepts besides plural and singular
 * @param traits how its objects behave
 */
record ResourceKind(
        String group,
        String version,
        String plural,
        String kind,
        List<String> shortNames,
        Set<Trait> traits) {

    /** What sets kinds apart. */
    enum Trait {
        NAMESPACED,
        /** Has a status subresource: the object's own path leaves the status alone. */
        STATUS,
        /** A status sent at creation is dropped. */
        STATUS_BORN_EMPTY,
        /** A status write may change labels and annotations. */
        STATUS_WRITES_LABELS,
        /** Counts changes of its spec. */
        GENERATION,
        SCALE,
        /** Another view of objects that are kept as a kind of another group. */
        VIEW
    }

    boolean has(Trait trait) {
        return traits.contains(trait);
    }

    boolean isNamespaced() {
        return has(Trait.NAMESPACED);
    }

    String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    String singular() {
        return kind.toLowerCase(Locale.ROOT);
    }

    /** As error messages name it: {@code pods}, {@code deployments.apps}. */
    String qualifiedPlural() {
        return group.isEmpty() ? plural : plural + "." + group;
    }

    String qualifiedKind() {
        return group.isEmpty() ? kind : kind + "." + group;
    }
}
