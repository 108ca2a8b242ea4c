package dev.cede.coordinator.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.coordinator.loop.Event;
import dev.cede.model.PodRef;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FactsHandlerTest {
    private final List<Event> events = new ArrayList<>();
    private final FactsHandler<Pod> handler = new FactsHandler<>(
            pod -> new Event.NodeGone(pod.getMetadata().getResourceVersion()),
            pod -> new Event.PodGone(PodFactsReader.ref(pod)),
            () -> events.add(new Event.CachesSynced()),
            events::add);

    private static Pod pod(String uid, String version) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("ns")
                .withName("p")
                .withUid(uid)
                .withResourceVersion(version)
                .endMetadata()
                .build();
    }

    /** As a list shows it when the watch missed the deletion (B7). */
    @Test
    void anotherUidUnderTheSameNameIsAnotherObject() {
        handler.onAdd(pod("u1", "1"));
        handler.onUpdate(pod("u1", "1"), pod("u2", "2"));
        assertEquals(
                List.of(
                        new Event.NodeGone("1"),
                        new Event.PodGone(new PodRef("ns", "p", "u1")),
                        new Event.NodeGone("2")),
                events);
    }

    @Test
    void factsThatDidNotChangeAreNotToldAgain() {
        handler.onAdd(pod("u1", "1"));
        handler.onUpdate(pod("u1", "1"), pod("u1", "1"));
        handler.onDelete(pod("u1", "1"), false);
        handler.onAdd(pod("u1", "1"));
        assertEquals(
                List.of(
                        new Event.NodeGone("1"),
                        new Event.PodGone(new PodRef("ns", "p", "u1")),
                        new Event.NodeGone("1")),
                events);
    }
}
