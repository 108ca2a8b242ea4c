package dev.cede.sandbox.play;

import java.util.List;

/**
 * A pod as the API server showed it.
 *
 * @param workload its owner's name (of a ReplicaSet its Deployment's), else its own
 * @param phase as in its status
 * @param node empty until it is bound
 * @param nominatedNode empty if it has none
 * @param conditions types of those with status True
 * @param because message of PodScheduled=False, else empty
 * @param ended what its status says of a Failed pod, else empty
 * @param gone its object is not there any more
 */
public record PodSight(
        String uid,
        String namespace,
        String name,
        String workload,
        String phase,
        boolean terminating,
        String node,
        String nominatedNode,
        List<String> conditions,
        String because,
        String ended,
        boolean gone) {

    /** The condition that an eviction writes (E10). */
    static final String EVICTED = "DisruptionTarget";

    public PodSight {
        conditions = List.copyOf(conditions);
    }

    PodSight asGone() {
        return new PodSight(
                uid,
                namespace,
                name,
                workload,
                phase,
                terminating,
                node,
                nominatedNode,
                conditions,
                because,
                ended,
                true);
    }

    boolean evicted() {
        return conditions.contains(EVICTED);
    }

    boolean finished() {
        return phase.equals("Succeeded") || phase.equals("Failed");
    }
}
