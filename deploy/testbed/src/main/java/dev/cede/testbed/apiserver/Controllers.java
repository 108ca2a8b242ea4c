package dev.cede.testbed.apiserver;

/**
 * The controllers of a cluster, run after each write until nothing is left to do: namespaces,
 * owner garbage collection, ReplicaSets, Deployments, StatefulSets, Jobs.
 */
final class Controllers {

    private static final int MOST_STEPS = 1_000_000;

    private final Cluster cluster;
    private final NamespaceController namespaces;
    private final GarbageCollector garbage;
    private final ReplicaSetController replicaSets;
    private final DeploymentController deployments;
    private final StatefulSetController statefulSets;
    private final JobController jobs;

    Controllers(Cluster cluster) {
        this.cluster = cluster;
        Creation creation = new Creation(cluster);
        Update update = new Update(cluster);
        Deletion deletion = new Deletion(cluster);
        namespaces = new NamespaceController(cluster, creation, deletion);
        garbage = new GarbageCollector(cluster, deletion);
        replicaSets = new ReplicaSetController(cluster, creation, update, deletion);
        deployments = new DeploymentController(cluster, creation, update);
        statefulSets = new StatefulSetController(cluster, creation, update, deletion);
        jobs = new JobController(cluster, creation, update, deletion);
    }

    /** Runs until nothing is left; two controllers that undo each other's work are a bug. */
    void settle() {
        int steps = 0;
        for (var next = cluster.nextUnsettled(); next.isPresent(); next = cluster.nextUnsettled()) {
            Change change = next.get();
            if (++steps > MOST_STEPS) {
                throw new IllegalStateException("the controllers never settle; last: " + change);
            }
            namespaces.react(change);
            garbage.react(change);
            replicaSets.react(change);
            deployments.react(change);
            statefulSets.react(change);
            jobs.react(change);
        }
    }
}
