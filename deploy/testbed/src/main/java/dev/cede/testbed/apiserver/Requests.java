package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Takes a request apart and answers it from the store. */
final class Requests {

    private static final int OK = 200;
    private static final int CREATED = 201;

    private final Cluster cluster;
    private final Creation creation;
    private final Update update;
    private final Deletion deletion;
    private final Subresources subresources;
    private final TokenReviews tokens;

    Requests(Cluster cluster) {
        this.cluster = cluster;
        creation = new Creation(cluster);
        update = new Update(cluster);
        deletion = new Deletion(cluster);
        subresources = new Subresources(cluster, update, deletion);
        tokens = new TokenReviews(cluster);
    }

    TokenReviews tokens() {
        return tokens;
    }

    ApiReply answer(ApiRequest request) {
        if (request.path().equals(TokenReviews.PATH)) {
            return tokens.answer(request);
        }
        Optional<Route> route = Route.parse(request.path());
        if (route.isEmpty()) {
            return Discovery.answer(request);
        }
        if (!request.queryValue("dryRun").isEmpty()) {
            throw Refusal.badRequest("dryRun: this server has no dry runs");
        }
        return answer(route.get(), request);
    }

    private ApiReply answer(Route route, ApiRequest request) {
        if (!route.subresource().isEmpty()) {
            return answerSubresource(route, request);
        }
        boolean collection = route.name().isEmpty();
        return switch (request.method()) {
            case "GET" -> collection ? list(route, request) : get(route, request);
            case "POST" -> {
                requireThat(collection);
                yield post(route, request);
            }
            case "PUT" -> {
                requireThat(!collection);
                yield put(route, request);
            }
            case "PATCH" -> {
                requireThat(!collection);
                yield patch(route, request);
            }
            case "DELETE" -> collection ? deleteAll(route, request) : delete(route, request);
            default -> throw Refusal.methodNotAllowed();
        };
    }

    private static void requireThat(boolean allowed) {
        if (!allowed) {
            throw Refusal.methodNotAllowed();
        }
    }

    private ApiReply get(Route route, ApiRequest request) {
        ObjectNode object = cluster.require(route.key());
        return new ApiReply(OK, view(route, request).one(object));
    }

    private View view(Route route, ApiRequest request) {
        return View.of(route.kind(), request, cluster);
    }

    private ApiReply list(Route route, ApiRequest request) {
        Selection selection = Selection.of(route, request);
        ListPage page = ListPage.of(request, cluster.store().revision());
        List<ObjectNode> found =
                cluster
                        .store()
                        .listAt(page.revision(), selection.kind(), selection.namespace())
                        .stream()
                        .filter(selection::matches)
                        .toList();
        return new ApiReply(OK, page.answer(found, view(route, request)));
    }

    private ApiReply post(Route route, ApiRequest request) {
        requireNamespace(route);
        ObjectNode object = bodyOf(route, request);
        ObjectNode created = creation.create(route.storedKind(), route.namespace(), object);
        return new ApiReply(CREATED, view(route, request).one(created));
    }

    private static void requireNamespace(Route route) {
        if (route.kind().isNamespaced() && route.namespace().isEmpty()) {
            throw Refusal.methodNotAllowed();
        }
    }

    private static ObjectNode bodyOf(Route route, ApiRequest request) {
        if (!request.contentType().isEmpty() && !request.contentType().equals(ApiRequest.JSON)) {
            throw Refusal.unsupportedMediaType("the body of the request was of type "
                    + request.contentType() + "; accepted is " + ApiRequest.JSON);
        }
        return stored(route, request.bodyObject());
    }

    private static ObjectNode stored(Route route, ObjectNode body) {
        requireKind(route.kind(), body);
        return route.kind().equals(Kinds.EVENTS_V1) ? EventForms.toStored(body) : body;
    }

    private static void requireKind(ResourceKind kind, ObjectNode body) {
        String apiVersion = Json.text(body, "apiVersion");
        String name = Json.text(body, "kind");
        boolean same = (apiVersion.isEmpty() || apiVersion.equals(kind.apiVersion()))
                && (name.isEmpty() || name.equals(kind.kind()));
        if (!same) {
            throw Refusal.badRequest("%s in version \"%s\" cannot be handled as a %s of %s"
                    .formatted(name, apiVersion, kind.kind(), kind.apiVersion()));
        }
    }

    private ApiReply put(Route route, ApiRequest request) {
        ObjectNode written = update.replace(route.key(), bodyOf(route, request));
        return new ApiReply(OK, view(route, request).one(written));
    }

    private ApiReply patch(Route route, ApiRequest request) {
        ObjectNode written = update.replace(route.key(), patched(route, request));
        return new ApiReply(OK, view(route, request).one(written));
    }

    /** The object as stored after the patch, not yet written. */
    private ObjectNode patched(Route route, ApiRequest request) {
        ObjectNode stored = cluster.require(route.key());
        ObjectNode old =
                route.kind().equals(Kinds.EVENTS_V1) ? EventForms.toEventsV1(stored) : stored;
        JsonNode patch = Json.parse(request.body());
        JsonNode result = switch (request.contentType()) {
            case ApiRequest.MERGE_PATCH -> MergePatch.apply(old, requireObject(patch));
            case ApiRequest.STRATEGIC_MERGE_PATCH ->
                StrategicMergePatch.apply(old, requireObject(patch));
            case ApiRequest.JSON_PATCH -> JsonPatch.apply(old, patch);
            default ->
                throw Refusal.unsupportedMediaType("a patch of type " + request.contentType()
                        + " is not accepted here; accepted are " + ApiRequest.MERGE_PATCH + ", "
                        + ApiRequest.STRATEGIC_MERGE_PATCH + " and " + ApiRequest.JSON_PATCH);
        };
        ObjectNode next = stored(route, requireObject(result));
        Preconditions.of(next.path("metadata")).checkForPatch(route.key(), stored);
        return next;
    }

    private static ObjectNode requireObject(JsonNode node) {
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw Refusal.badRequest("the patch must be, and must leave, one JSON object");
    }

    private ApiReply delete(Route route, ApiRequest request) {
        ObjectNode left = deletion.delete(route.key(), DeleteOptions.of(request));
        return new ApiReply(OK, left);
    }

    private ApiReply deleteAll(Route route, ApiRequest request) {
        requireNamespace(route);
        Selection selection = Selection.of(route, request);
        DeleteOptions options = DeleteOptions.of(request);
        List<ObjectNode> found =
                cluster.store().list(selection.kind(), selection.namespace()).stream()
                        .filter(selection::matches)
                        .toList();
        found.forEach(object -> deletion.delete(Key.of(selection.kind(), object), options));
        return new ApiReply(OK, view(route, request).list(found, cluster.store().revision()));
    }

    private ApiReply answerSubresource(Route route, ApiRequest request) {
        String verb = request.method();
        ObjectNode body = switch (verb) {
            case "GET" -> Json.newObject();
            case "PATCH" ->
                route.subresource().equals("scale")
                        ? subresources.patchedScale(route, request)
                        : patched(route, request);
            default -> request.bodyObject();
        };
        return subresources.answer(route, request, body);
    }
}
