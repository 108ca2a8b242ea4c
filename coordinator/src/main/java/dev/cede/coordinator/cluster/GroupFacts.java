package dev.cede.coordinator.cluster;

/**
 * A PodGroup object.
 *
 * @param minMember below so many members none is started (E1)
 * @param phase of a Volcano PodGroup; empty where it has none
 * @param version to be named when the phase is changed
 */
public record GroupFacts(GroupRef ref, int minMember, String phase, String version) {
    /** A group whose phase does not matter. */
    public static GroupFacts of(GroupRef ref, int minMember) {
        return new GroupFacts(ref, minMember, "", "");
    }
}
