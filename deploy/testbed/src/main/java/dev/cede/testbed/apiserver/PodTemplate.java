package dev.cede.testbed.apiserver;

import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Makes the pods of a controller's object from the template in its spec. */
final class PodTemplate {

    private PodTemplate() {}

    /** A pod that the owner controls; it has no name yet. */
    static ObjectNode podOf(ObjectNode owner) {
        JsonNode template = Json.at(owner, "spec", "template");
        ObjectNode pod = Json.newObject();
        ObjectNode metadata = pod.putObject("metadata");
        for (String field : List.of("labels", "annotations", "finalizers")) {
            if (Json.isPresent(template, "metadata", field)) {
                metadata.set(field, Json.at(template, "metadata", field).deepCopy());
            }
        }
        metadata.putArray("ownerReferences").add(Owners.controllerReference(owner));
        pod.set("spec", template.path("spec").deepCopy());
        return pod;
    }
}
