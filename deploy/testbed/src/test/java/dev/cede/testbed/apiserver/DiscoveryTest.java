package dev.cede.testbed.apiserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

class DiscoveryTest {

    private final CoreFixture cluster = new CoreFixture();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1 pods",
                "/apis/apps/v1 statefulsets",
                "/apis/batch/v1 jobs",
                "/apis/scheduling.volcano.sh/v1beta1 podgroups",
                "/apis/scheduling.x-k8s.io/v1alpha1 podgroups"
            })
    void aKindIsFoundUnderItsGroupAndVersion(String pathAndPlural) {
        List<String> asked = List.of(pathAndPlural.split(" "));
        ObjectNode resources = cluster.get(asked.getFirst());
        assertTrue(
                Json.objects(resources, "resources").stream()
                        .anyMatch(kind -> Json.text(kind, "name").equals(asked.getLast())),
                resources::toString);
    }

    @Test
    void aGroupNamesTheVersionItHas() {
        ObjectNode group = cluster.get("/apis/scheduling.volcano.sh");
        assertEquals("v1beta1", Json.text(group, "preferredVersion", "version"));
        assertTrue(Json.objects(cluster.get("/apis"), "groups").stream()
                .anyMatch(found -> Json.text(found, "preferredVersion", "groupVersion")
                        .equals("scheduling.volcano.sh/v1beta1")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/apis/scheduling.volcano.sh/v1",
                "/apis/example.org",
                "/apis/apps/v1/a/b/c/d",
                "/x"
            })
    void whatIsNotServedIsNotFound(String path) {
        cluster.refused(404, ApiRequest.get(path));
    }
}
