package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Defaults and checks of a new pod. */
final class PodAdmission {

    /** {@code terminationGracePeriodSeconds} of a pod that names none. */
    static final long DEFAULT_GRACE_SECONDS = 30;

    private static final List<String> LOST_NODE_TAINTS =
            List.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");

    /** How long a pod that does not say stays on a lost node. */
    private static final long LOST_NODE_SECONDS = 300;

    private static final List<String> RESTART_POLICIES = List.of("Always", "OnFailure", "Never");

    private final Cluster cluster;
    private final Priorities priorities;

    PodAdmission(Cluster cluster) {
        this.cluster = cluster;
        priorities = new Priorities(cluster.store());
    }

    void admit(ObjectNode pod) {
        String name = Json.text(pod, "metadata", "name");
        applyDefaults(pod);
        ObjectNode spec = Json.child(pod, "spec");
        requireServiceAccount(pod, name);
        priorities.admit(pod, name);
        checkContainers(spec, name);
        new ContainerResources(Kinds.PODS, name).admit(spec);
        pod.set("status", firstStatus(spec));
    }

    /** Also for the body of an update, which may leave out what has a default. */
    static void applyDefaults(ObjectNode pod) {
        ObjectNode spec = Json.child(pod, "spec");
        putIfAbsent(spec, "restartPolicy", "Always");
        putIfAbsent(spec, "dnsPolicy", "ClusterFirst");
        putIfAbsent(spec, "schedulerName", "default-scheduler");
        putIfAbsent(spec, "serviceAccountName", "default");
        if (!Json.isPresent(spec, "terminationGracePeriodSeconds")) {
            spec.put("terminationGracePeriodSeconds", DEFAULT_GRACE_SECONDS);
        }
        for (String list : List.of("initContainers", "containers")) {
            for (ObjectNode container : Json.objects(spec, list)) {
                putIfAbsent(container, "imagePullPolicy", "IfNotPresent");
                ContainerResources.normalise(Json.child(container, "resources"));
            }
        }
        tolerateLostNode(spec);
    }

    /** For each of the two taints of a lost node, unless the pod says itself how long. */
    private static void tolerateLostNode(ObjectNode spec) {
        for (String taint : LOST_NODE_TAINTS) {
            boolean said = Json.objects(spec, "tolerations").stream()
                    .anyMatch(toleration -> isOrAny(toleration, "key", taint)
                            && isOrAny(toleration, "effect", "NoExecute"));
            if (!said) {
                Json.array(spec, "tolerations")
                        .addObject()
                        .put("key", taint)
                        .put("operator", "Exists")
                        .put("effect", "NoExecute")
                        .put("tolerationSeconds", LOST_NODE_SECONDS);
            }
        }
    }

    private static boolean isOrAny(ObjectNode toleration, String field, String value) {
        String text = Json.text(toleration, field);
        return text.isEmpty() || text.equals(value);
    }

    private static void putIfAbsent(ObjectNode node, String field, String value) {
        if (Json.text(node, field).isEmpty()) {
            node.put(field, value);
        }
    }

    private void requireServiceAccount(ObjectNode pod, String name) {
        String namespace = Json.text(pod, "metadata", "namespace");
        String account = Json.text(pod, "spec", "serviceAccountName");
        if (cluster.store()
                .get(new Key(Kinds.SERVICE_ACCOUNTS, namespace, account))
                .isEmpty()) {
            throw Refusal.forbidden(
                    Kinds.PODS,
                    name,
                    "error looking up service account %s/%s: serviceaccount \"%s\" not found"
                            .formatted(namespace, account, account));
        }
    }

    private static void checkContainers(ObjectNode spec, String name) {
        if (Json.objects(spec, "containers").isEmpty()) {
            throw Refusal.invalid(Kinds.PODS, name, "spec.containers: Required value");
        }
        String policy = Json.text(spec, "restartPolicy");
        if (!RESTART_POLICIES.contains(policy)) {
            throw Refusal.invalid(
                    Kinds.PODS,
                    name,
                    "spec.restartPolicy: Unsupported value: \"%s\": supported values: %s"
                            .formatted(policy, RESTART_POLICIES));
        }
        Set<String> names = new TreeSet<>();
        for (String list : List.of("initContainers", "containers")) {
            checkNames(spec, list, names, name);
        }
    }

    private static void checkNames(
            ObjectNode spec, String list, Set<String> names, String podName) {
        List<ObjectNode> containers = Json.objects(spec, list);
        for (int i = 0; i < containers.size(); i++) {
            String path = "spec.%s[%d]".formatted(list, i);
            String name = Json.text(containers.get(i), "name");
            if (name.isEmpty()) {
                throw Refusal.invalid(Kinds.PODS, podName, path + ".name: Required value");
            }
            if (!names.add(name)) {
                throw Refusal.invalid(
                        Kinds.PODS, podName, path + ".name: Duplicate value: \"" + name + "\"");
            }
            if (Json.text(containers.get(i), "image").isEmpty()) {
                throw Refusal.invalid(Kinds.PODS, podName, path + ".image: Required value");
            }
        }
    }

    private ObjectNode firstStatus(ObjectNode spec) {
        ObjectNode status = Json.newObject();
        status.put("phase", "Pending").put("qosClass", qosClass(spec));
        if (!spec.path("schedulingGates").isEmpty()) {
            ObjectNode condition = status.putArray("conditions").addObject();
            condition.put("type", "PodScheduled").put("status", "False");
            condition.put("reason", "SchedulingGated");
            condition.put("message", "Scheduling is blocked due to non-empty scheduling gates");
            condition.putNull("lastProbeTime");
            condition.put("lastTransitionTime", cluster.timestamp());
        }
        return status;
    }

    /** Only cpu and memory count. */
    private static String qosClass(ObjectNode spec) {
        boolean any = false;
        boolean guaranteed = true;
        for (ObjectNode container : Json.objects(spec, "containers")) {
            for (String resource : List.of("cpu", "memory")) {
                JsonNode limit = Json.at(container, "resources", "limits", resource);
                JsonNode request = Json.at(container, "resources", "requests", resource);
                any |= !limit.isMissingNode() || !request.isMissingNode();
                guaranteed &= !limit.isMissingNode() && limit.equals(request);
            }
        }
        return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
    }
}
