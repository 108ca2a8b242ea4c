package dev.cede.testbed.apiserver;

import java.util.List;
import java.util.Optional;

/**
 * What a path of a resource means.
 *
 * @param kind the kind asked for, as the client names it
 * @param namespace empty for all namespaces and for kinds without one
 * @param name empty for the whole collection
 * @param subresource empty for the object itself
 */
record Route(ResourceKind kind, String namespace, String name, String subresource) {

    private static final String NAMESPACES = "namespaces";

    /** Empty if the path is not one of a kind that is served. */
    static Optional<Route> parse(String path) {
        List<String> parts = List.of(path.substring(1).split("/", -1));
        if (parts.size() > 2 && parts.get(0).equals("api")) {
            return inVersion("", parts.get(1), parts.subList(2, parts.size()));
        }
        if (parts.size() > 3 && parts.get(0).equals("apis")) {
            return inVersion(parts.get(1), parts.get(2), parts.subList(3, parts.size()));
        }
        return Optional.empty();
    }

    private static Optional<Route> inVersion(String group, String version, List<String> rest) {
        if (rest.size() > 2 && rest.get(0).equals(NAMESPACES)) {
            Optional<Route> inNamespace =
                    of(group, version, rest.get(1), rest.subList(2, rest.size()));
            if (inNamespace.isPresent()) {
                return inNamespace;
            }
        }
        return of(group, version, "", rest);
    }

    private static Optional<Route> of(
            String group, String version, String namespace, List<String> rest) {
        if (rest.size() > 3) {
            return Optional.empty();
        }
        // The older form of a binding: the pod's name is in the body.
        if (group.isEmpty() && rest.equals(List.of("bindings"))) {
            return Optional.of(new Route(Kinds.PODS, namespace, "", "binding"));
        }
        return Kinds.find(group, version, rest.get(0))
                .filter(kind -> kind.isNamespaced() || namespace.isEmpty())
                .map(kind -> new Route(kind, namespace, part(rest, 1), part(rest, 2)));
    }

    private static String part(List<String> parts, int index) {
        return index < parts.size() ? parts.get(index) : "";
    }

    ResourceKind storedKind() {
        return Kinds.stored(kind);
    }

    Key key() {
        return new Key(storedKind(), namespace, name);
    }
}
