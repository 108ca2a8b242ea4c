package dev.cede.testbed.apiserver;

import static dev.cede.testbed.apiserver.CoreFixture.PODS;
import static dev.cede.testbed.apiserver.CoreFixture.json;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

class WatchTest {

    private final CoreFixture cluster = new CoreFixture();

    @Test
    void aWatchWithoutAVersionBeginsWithWhatIsThere() {
        cluster.createPod("a");
        Watch watch = cluster.watch(PODS + "?watch=true");
        assertEquals(List.of("ADDED a"), cluster.news(watch));
        cluster.createPod("b");
        cluster.bind("a", "n1");
        cluster.ok(ApiRequest.delete(PODS + "/b", Json.newObject()));
        assertEquals(List.of("ADDED b", "MODIFIED a", "DELETED b"), cluster.news(watch));
        assertEquals(List.of(), cluster.news(watch));
    }

    @Test
    void aWatchFromBeforeTheHistoryEndsWithAnExpiredError() {
        CoreFixture small = new CoreFixture(3);
        long version = small.core.revision();
        for (String name : List.of("a", "b", "c", "d")) {
            small.createPod(name);
        }
        Watch watch = small.watch(PODS + "?watch=1&resourceVersion=" + version);
        ObjectNode error = watch.poll(small.now()).getFirst();
        assertEquals("ERROR", Json.text(error, "type"));
        assertEquals(410, Json.number(0, error, "object", "code"));
        assertEquals("Expired", Json.text(error, "object", "reason"));
        assertTrue(watch.isOver());
        // The oldest version that is still good.
        Watch good = small.watch(PODS + "?watch=1&resourceVersion=" + (version + 1));
        assertEquals(List.of("ADDED b", "ADDED c", "ADDED d"), small.news(good));
    }

    @Test
    void aWatchByLabelsSeesOnlyThose() {
        Watch watch = cluster.watch(PODS + "?watch=1&labelSelector=app%3Da");
        cluster.createPod("a");
        cluster.createPod("b");
        cluster.ok(ApiRequest.mergePatch(PODS + "/a", json("{'metadata':{'labels':{'app':'z'}}}")));
        assertEquals(List.of("ADDED a", "DELETED a"), cluster.news(watch));
    }

    @Test
    void aWatchSeesOnlyItsKindAndNamespace() {
        Watch watch = cluster.watch("/api/v1/namespaces/kube-system/pods?watch=1");
        cluster.createPod("a");
        cluster.ok(ApiRequest.post("/api/v1/nodes", json("{'metadata':{'name':'n'}}")));
        assertEquals(List.of(), cluster.news(watch));
    }

    @Test
    void bookmarksComeOnlyWhereTheyAreAskedFor() {
        assertTrue(cluster.watch(PODS + "?watch=1").bookmark().isEmpty());
    }

    @Test
    void initialEventsEndWithAMarkedBookmark() {
        cluster.createPod("a");
        Watch watch =
                cluster.watch(PODS + "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true");
        List<ObjectNode> events = watch.poll(cluster.now());
        assertEquals("ADDED", Json.text(events.get(0), "type"));
        assertEquals("BOOKMARK", Json.text(events.get(1), "type"));
        assertEquals(
                "true",
                Json.text(
                        events.get(1),
                        "object",
                        "metadata",
                        "annotations",
                        "k8s.io/initial-events-end"));
    }

    @Test
    void theSameRequestsGiveTheSameObjectsAndEvents() {
        assertEquals(trace(), trace());
    }

    private static List<ObjectNode> trace() {
        CoreFixture fresh = new CoreFixture();
        fresh.ok(ApiRequest.post(CoreFixture.DEPLOYMENTS, CoreFixture.deployment("d", 3)));
        fresh.names(PODS).forEach(name -> fresh.bind(name, "n1"));
        fresh.ok(ApiRequest.delete(PODS + "/" + fresh.names(PODS).getFirst(), Json.newObject()));
        return fresh.watch(PODS + "?watch=1&resourceVersion=1").poll(fresh.now());
    }
}
