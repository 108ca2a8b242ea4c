package dev.cede.testbed.apiserver;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** Defaults and checks of {@code resources} of the containers of a new pod. */
final class ContainerResources {

    private final ResourceKind kind;
    private final String podName;

    ContainerResources(ResourceKind kind, String podName) {
        this.kind = kind;
        this.podName = podName;
    }

    void admit(ObjectNode spec) {
        for (String list : List.of("initContainers", "containers")) {
            List<ObjectNode> containers = Json.objects(spec, list);
            for (int i = 0; i < containers.size(); i++) {
                admit(
                        Json.child(containers.get(i), "resources"),
                        "spec.%s[%d].resources".formatted(list, i));
            }
        }
    }

    private void admit(ObjectNode resources, String path) {
        Map<String, BigDecimal> limits = quantities(resources, "limits");
        if (!limits.isEmpty()) {
            ObjectNode requests = Json.child(resources, "requests");
            limits.keySet().forEach(name -> {
                if (!requests.has(name)) {
                    requests.set(name, resources.path("limits").path(name));
                }
            });
        }
        Map<String, BigDecimal> requests = quantities(resources, "requests");
        checkEach(limits, path + ".limits");
        checkEach(requests, path + ".requests");
        requests.forEach((name, request) -> checkPair(name, limits, request, path));
    }

    private static Map<String, BigDecimal> quantities(ObjectNode resources, String list) {
        Map<String, BigDecimal> quantities = new TreeMap<>();
        Json.strings(resources, list)
                .forEach((name, text) -> quantities.put(name, Quantities.parse(text)));
        return quantities;
    }

    /** Numbers become text, and all are in canonical form, as a real server answers them. */
    static void normalise(ObjectNode resources) {
        for (String list : List.of("limits", "requests")) {
            Json.strings(resources, list)
                    .forEach((name, text) ->
                            Json.child(resources, list).put(name, Quantities.canonical(text)));
        }
    }

    private void checkEach(Map<String, BigDecimal> quantities, String path) {
        quantities.forEach((name, quantity) -> {
            if (quantity.signum() < 0) {
                throw invalid(path, name, quantity, "must be greater than or equal to 0");
            }
            if (isExtended(name) && !Quantities.isWhole(quantity)) {
                throw invalid(path, name, quantity, "must be an integer");
            }
        });
    }

    private void checkPair(
            String name, Map<String, BigDecimal> limits, BigDecimal request, String path) {
        BigDecimal limit = limits.get(name);
        if (limit == null && isExtended(name)) {
            throw Refusal.invalid(
                    kind,
                    podName,
                    path
                            + ".limits: Required value: Limit must be set for non overcommitable resources");
        }
        if (limit == null) {
            return;
        }
        if (isExtended(name) && request.compareTo(limit) != 0) {
            throw unequal(path, request, "must be equal to", name, limit);
        }
        if (request.compareTo(limit) > 0) {
            throw unequal(path, request, "must be less than or equal to", name, limit);
        }
    }

    private Refusal invalid(String path, String name, BigDecimal value, String why) {
        return Refusal.invalid(
                kind,
                podName,
                "%s[%s]: Invalid value: \"%s\": %s"
                        .formatted(path, name, value.toPlainString(), why));
    }

    private Refusal unequal(
            String path, BigDecimal request, String relation, String name, BigDecimal limit) {
        return Refusal.invalid(
                kind,
                podName,
                "%s.requests: Invalid value: \"%s\": %s %s limit of %s"
                        .formatted(
                                path,
                                request.toPlainString(),
                                relation,
                                name,
                                limit.toPlainString()));
    }

    /** A name with a slash outside the names that Kubernetes keeps for itself. */
    private static boolean isExtended(String name) {
        int slash = name.indexOf('/');
        if (slash < 0 || name.startsWith("requests.")) {
            return false;
        }
        String domain = name.substring(0, slash);
        return !domain.equals("kubernetes.io") && !domain.endsWith(".kubernetes.io");
    }
}
