package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The next step of moving replicas from old ReplicaSets to the newest.
 *
 * @param wanted replicas of the Deployment
 * @param surge pods above that allowed meanwhile
 * @param unavailable pods below that allowed meanwhile
 */
record Rollout(long wanted, long surge, long unavailable, ObjectNode newest, List<ObjectNode> old) {

    /** Of both limits, where the Deployment names none. */
    private static final String DEFAULT_SHARE = "25%";

    static Rollout of(ObjectNode deployment, ObjectNode newest, List<ObjectNode> old) {
        long wanted = Json.number(1, deployment, "spec", "replicas");
        long surge = share(deployment, "maxSurge", wanted, true);
        return new Rollout(wanted, surge, maxUnavailable(deployment, wanted), newest, old);
    }

    /** Never both limits 0, as nothing could move then. */
    static long maxUnavailable(ObjectNode deployment, long wanted) {
        long surge = share(deployment, "maxSurge", wanted, true);
        long unavailable = share(deployment, "maxUnavailable", wanted, false);
        return surge == 0 && unavailable == 0 ? 1 : Math.min(unavailable, wanted);
    }

    private static long share(ObjectNode deployment, String field, long of, boolean up) {
        JsonNode limit = Json.at(deployment, "spec", "strategy", "rollingUpdate", field);
        if (limit.isIntegralNumber()) {
            return limit.asLong(0);
        }
        String text = Json.text(limit).isEmpty() ? DEFAULT_SHARE : Json.text(limit);
        long percent = Long.parseLong(text.replace("%", ""));
        return (of * percent + (up ? 99 : 0)) / 100;
    }

    /** Replicas each ReplicaSet is to have now; those not named keep theirs. */
    Map<Key, Long> next(boolean recreate, boolean waitForOldPods) {
        Map<Key, Long> next = new TreeMap<>();
        if (recreate) {
            old.forEach(replicaSet -> next.put(key(replicaSet), 0L));
            next.put(key(newest), waitForOldPods ? replicas(newest) : wanted);
            return next;
        }
        long newestTarget = newestTarget();
        next.put(key(newest), newestTarget);
        long removable = removable(newestTarget);
        for (ObjectNode replicaSet : old) {
            long unhealthy = Math.min(removable, replicas(replicaSet) - available(replicaSet));
            next.put(key(replicaSet), replicas(replicaSet) - Math.max(0, unhealthy));
            removable -= Math.max(0, unhealthy);
        }
        for (ObjectNode replicaSet : old) {
            long left = next.get(key(replicaSet));
            long removed = Math.clamp(removable, 0, left);
            next.put(key(replicaSet), left - removed);
            removable -= removed;
        }
        return next;
    }

    private long newestTarget() {
        long current = replicas(newest);
        if (current >= wanted || old.stream().allMatch(replicaSet -> replicas(replicaSet) == 0)) {
            return wanted;
        }
        long total = current + old.stream().mapToLong(Rollout::replicas).sum();
        long room = Math.max(0, wanted + surge - total);
        return Math.min(wanted, current + room);
    }

    /** Old replicas that may go while enough are available. */
    private long removable(long newestTarget) {
        long total = newestTarget + old.stream().mapToLong(Rollout::replicas).sum();
        long newestNotYet = Math.max(0, newestTarget - available(newest));
        return Math.max(0, total - (wanted - unavailable) - newestNotYet);
    }

    private static Key key(ObjectNode replicaSet) {
        return Key.of(Kinds.REPLICA_SETS, replicaSet);
    }

    private static long replicas(ObjectNode replicaSet) {
        return Json.number(0, replicaSet, "spec", "replicas");
    }

    private static long available(ObjectNode replicaSet) {
        return Json.number(0, replicaSet, "status", "availableReplicas");
    }
}
