package dev.cede.testbed.apiserver;

import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** What stands behind an object's path: status, binding, eviction, scale, finalize. */
final class Subresources {

    private static final int OK = 200;
    private static final int CREATED = 201;

    private final Cluster cluster;
    private final Update update;
    private final PodBinding binding;
    private final PodEviction eviction;

    Subresources(Cluster cluster, Update update, Deletion deletion) {
        this.cluster = cluster;
        this.update = update;
        binding = new PodBinding(cluster);
        eviction = new PodEviction(cluster, deletion);
    }

    /** {@code body} is the whole new object of a PUT or PATCH, what was sent of a POST. */
    ApiReply answer(Route route, ApiRequest request, ObjectNode body) {
        return switch (route.subresource()) {
            case "status" -> status(route, request, body);
            case "scale" -> scale(route, request, body);
            case "binding" -> bind(route, request, body);
            case "eviction" -> evict(route, request, body);
            default -> throw Refusal.noSuchPath();
        };
    }

    private ApiReply status(Route route, ApiRequest request, ObjectNode body) {
        requireTrait(route, ResourceKind.Trait.STATUS);
        return switch (request.method()) {
            case "GET" -> new ApiReply(OK, cluster.require(route.key()));
            case "PUT", "PATCH" -> new ApiReply(OK, update.replaceStatus(route.key(), body));
            default -> throw Refusal.methodNotAllowed();
        };
    }

    private static void requireTrait(Route route, ResourceKind.Trait trait) {
        if (!route.kind().has(trait)) {
            throw Refusal.noSuchPath();
        }
    }

    private ApiReply bind(Route route, ApiRequest request, ObjectNode body) {
        requirePost(route, request);
        String name = route.name().isEmpty() ? Json.text(body, "metadata", "name") : route.name();
        binding.bind(new Key(Kinds.PODS, route.namespace(), name), body);
        return success();
    }

    private ApiReply evict(Route route, ApiRequest request, ObjectNode body) {
        requirePost(route, request);
        eviction.evict(route.key(), DeleteOptions.of(body.path("deleteOptions"), request));
        return success();
    }

    private static void requirePost(Route route, ApiRequest request) {
        if (!route.kind().equals(Kinds.PODS)) {
            throw Refusal.noSuchPath();
        }
        if (!request.method().equals("POST")) {
            throw Refusal.methodNotAllowed();
        }
    }

    private static ApiReply success() {
        ObjectNode status = Json.newObject().put("kind", "Status").put("apiVersion", "v1");
        status.putObject("metadata");
        return new ApiReply(CREATED, status.put("status", "Success").put("code", CREATED));
    }

    private ApiReply scale(Route route, ApiRequest request, ObjectNode body) {
        requireTrait(route, ResourceKind.Trait.SCALE);
        ObjectNode old = cluster.require(route.key());
        if (request.method().equals("GET")) {
            return new ApiReply(OK, scaleOf(old));
        }
        long replicas = Json.number(-1, body, "spec", "replicas");
        if (replicas < 0) {
            throw Refusal.invalid(
                    route.kind(),
                    route.name(),
                    "spec.replicas: a whole number from 0 on is accepted");
        }
        ObjectNode next = old.deepCopy();
        Json.child(next, "spec").put("replicas", replicas);
        ObjectNode asked = Json.child(next, "metadata");
        String version = Json.text(body, "metadata", "resourceVersion");
        asked.put("resourceVersion", version);
        return new ApiReply(OK, scaleOf(update.replace(route.key(), next)));
    }

    ObjectNode patchedScale(Route route, ApiRequest request) {
        requireTrait(route, ResourceKind.Trait.SCALE);
        ObjectNode old = scaleOf(cluster.require(route.key()));
        Json.child(old, "metadata").remove("resourceVersion");
        return (ObjectNode) MergePatch.apply(old, request.bodyObject());
    }

    private static ObjectNode scaleOf(ObjectNode owner) {
        ObjectNode scale =
                Json.newObject().put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        ObjectNode metadata = scale.putObject("metadata");
        for (String field :
                List.of("name", "namespace", "uid", "resourceVersion", "creationTimestamp")) {
            metadata.set(field, Json.at(owner, "metadata", field));
        }
        scale.putObject("spec").put("replicas", Json.number(0, owner, "spec", "replicas"));
        ObjectNode status = scale.putObject("status");
        status.put("replicas", Json.number(0, owner, "status", "replicas"));
        StringBuilder selector = new StringBuilder();
        Json.strings(owner, "spec", "selector", "matchLabels")
                .forEach((key, value) -> selector.append(selector.isEmpty() ? "" : ",")
                        .append(key)
                        .append('=')
                        .append(value));
        status.put("selector", selector.toString());
        return scale;
    }
}
