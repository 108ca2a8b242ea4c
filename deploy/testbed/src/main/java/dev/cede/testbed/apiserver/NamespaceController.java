package dev.cede.testbed.apiserver;

import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** Gives each namespace its default service account and empties a namespace that is deleted. */
final class NamespaceController {

    private final Cluster cluster;
    private final Creation creation;
    private final Deletion deletion;

    NamespaceController(Cluster cluster, Creation creation, Deletion deletion) {
        this.cluster = cluster;
        this.creation = creation;
        this.deletion = deletion;
    }

    void react(Change change) {
        if (change.key().kind().equals(Kinds.NAMESPACES)) {
            reactToNamespace(change);
        } else if (change.type() == Change.Type.DELETED && change.key().kind().isNamespaced()) {
            finish(change.key().namespace());
        }
    }

    private void reactToNamespace(Change change) {
        String name = change.key().name();
        if (change.type() == Change.Type.ADDED) {
            ObjectNode account = Json.newObject();
            account.putObject("metadata").put("name", "default");
            creation.create(Kinds.SERVICE_ACCOUNTS, name, account);
        } else if (Owners.isDeleting(change.object())) {
            empty(name);
            finish(name);
        }
    }

    private void empty(String namespace) {
        for (Key key : cluster.store().keysIn(namespace)) {
            boolean running =
                    cluster.store().get(key).filter(Owners::isDeleting).isEmpty();
            if (running && cluster.store().get(key).isPresent()) {
                deletion.delete(key, DeleteOptions.DEFAULT);
            }
        }
    }

    private void finish(String name) {
        Key key = new Key(Kinds.NAMESPACES, "", name);
        Optional<ObjectNode> namespace = cluster.store().get(key).filter(Owners::isDeleting);
        if (namespace.isPresent() && cluster.store().keysIn(name).isEmpty()) {
            cluster.remove(key, namespace.get().deepCopy());
        }
    }
}
