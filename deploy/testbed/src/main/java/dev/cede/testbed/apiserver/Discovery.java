package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What clients ask before anything else: versions, groups, resources, health. */
final class Discovery {

    private static final int OK = 200;

    /** The release whose behaviour this server follows. */
    private static final String MAJOR = "1";

    private static final String MINOR = "36";

    private static final List<String> VERBS = List.of(
            "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

    /** What {@code kubectl get all} lists. */
    private static final List<String> IN_ALL = List.of(
            "pods",
            "services",
            "replicationcontrollers",
            "deployments",
            "replicasets",
            "statefulsets",
            "daemonsets",
            "jobs");

    /** Group to the one version of it that is served. */
    private static final Map<String, String> VERSIONS = versions();

    private Discovery() {}

    static ApiReply answer(ApiRequest request) {
        if (!request.method().equals("GET")) {
            throw Refusal.noSuchPath();
        }
        List<String> parts = List.of(request.path().split("/", -1));
        ObjectNode body = switch (request.path()) {
            case "/version" -> version();
            case "/api" -> coreVersions();
            case "/apis" -> groups();
            default -> resources(parts);
        };
        return new ApiReply(OK, body);
    }

    private static ObjectNode version() {
        ObjectNode version = Json.newObject().put("major", MAJOR).put("minor", MINOR);
        version.put("gitVersion", "v" + MAJOR + "." + MINOR + ".0-standin");
        return version.put("platform", "linux/amd64");
    }

    private static ObjectNode coreVersions() {
        ObjectNode body = Json.newObject().put("kind", "APIVersions");
        body.putArray("versions").add("v1");
        body.putArray("serverAddressByClientCIDRs");
        return body;
    }

    private static ObjectNode groups() {
        ObjectNode body = Json.newObject().put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode groups = body.putArray("groups");
        VERSIONS.forEach((name, version) -> groups.add(group(name, version)));
        return body;
    }

    private static Map<String, String> versions() {
        Map<String, String> versions = new TreeMap<>();
        Kinds.ALL.forEach(kind -> versions.put(kind.group(), kind.version()));
        versions.remove("");
        return versions;
    }

    private static ObjectNode group(String name, String versionName) {
        ObjectNode group = Json.newObject().put("name", name);
        ObjectNode version = group.putArray("versions").addObject();
        version.put("groupVersion", name + "/" + versionName).put("version", versionName);
        group.set("preferredVersion", version);
        return group;
    }

    private static ObjectNode resources(List<String> parts) {
        if (parts.equals(List.of("", "api", "v1"))) {
            return resourceList("", "v1");
        }
        String name = parts.size() > 2 && parts.get(1).equals("apis") ? parts.get(2) : "";
        String version = VERSIONS.getOrDefault(name, "");
        if (!version.isEmpty() && parts.size() == 3) {
            return group(name, version).put("kind", "APIGroup").put("apiVersion", "v1");
        }
        if (version.isEmpty() || !parts.subList(3, parts.size()).equals(List.of(version))) {
            throw Refusal.noSuchPath();
        }
        return resourceList(name, name + "/" + version);
    }

    private static ObjectNode resourceList(String group, String groupVersion) {
        ObjectNode body = Json.newObject().put("kind", "APIResourceList").put("apiVersion", "v1");
        body.put("groupVersion", groupVersion);
        ArrayNode resources = body.putArray("resources");
        for (ResourceKind kind : Kinds.ALL) {
            if (kind.group().equals(group)) {
                addKind(resources, kind);
            }
        }
        return body;
    }

    private static void addKind(ArrayNode resources, ResourceKind kind) {
        ObjectNode main = entry(resources, kind, kind.plural(), kind.kind(), VERBS);
        main.put("singularName", kind.singular());
        if (!kind.shortNames().isEmpty()) {
            ArrayNode shortNames = main.putArray("shortNames");
            kind.shortNames().forEach(shortNames::add);
        }
        if (IN_ALL.contains(kind.plural())) {
            main.putArray("categories").add("all");
        }
        List<String> parts = List.of("get", "patch", "update");
        if (kind.has(ResourceKind.Trait.STATUS)) {
            entry(resources, kind, kind.plural() + "/status", kind.kind(), parts);
        }
        if (kind.has(ResourceKind.Trait.SCALE)) {
            ObjectNode scale = entry(resources, kind, kind.plural() + "/scale", "Scale", parts);
            scale.put("group", "autoscaling").put("version", "v1");
        }
        if (kind.equals(Kinds.PODS)) {
            entry(resources, kind, "pods/binding", "Binding", List.of("create"));
            ObjectNode eviction =
                    entry(resources, kind, "pods/eviction", "Eviction", List.of("create"));
            eviction.put("group", "policy").put("version", "v1");
        }
    }

    private static ObjectNode entry(
            ArrayNode resources,
            ResourceKind kind,
            String name,
            String kindName,
            List<String> verbs) {
        ObjectNode entry = resources.addObject().put("name", name).put("singularName", "");
        entry.put("namespaced", kind.isNamespaced()).put("kind", kindName);
        ArrayNode list = entry.putArray("verbs");
        verbs.forEach(list::add);
        return entry;
    }
}
