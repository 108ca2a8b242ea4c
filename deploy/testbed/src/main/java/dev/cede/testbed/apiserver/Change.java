package dev.cede.testbed.apiserver;

import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * One write that took effect.
 *
 * @param revision the resource version it made
 * @param type what happened
 * @param key the object
 * @param object the object after it; of a removal the last state under the new revision
 * @param previous the object before it; empty for a new one
 */
record Change(long revision, Type type, Key key, ObjectNode object, Optional<ObjectNode> previous) {

    /** The names are those of watch events. */
    enum Type {
        ADDED,
        MODIFIED,
        DELETED
    }
}
