package dev.cede.coordinator.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.coordinator.inspect.InspectService;
import dev.cede.v1.ExplainRequest;
import dev.cede.v1.ExplainResponse;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A state that a pod can be in.
 *
 * @param how brings a world with the switch on, one node and one card of 64 units there
 * @param sentences what an operator is told, most important first
 */
record ExplainedState(String name, Consumer<LoopWorld> how, String pod, List<String> sentences) {
    static ExplainedState of(
            String name, String pod, Consumer<LoopWorld> how, String... sentences) {
        return new ExplainedState(name, how, pod, List.of(sentences));
    }

    /** Another node with its agent. */
    static void joins(LoopWorld world, String node, int... cardUnits) {
        world.node(node, cardUnits);
        world.feed(new Event.NodeSeen(world.nodes.get(node)));
        world.attach(world.agents.get(node));
    }

    void holds() {
        LoopWorld world = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();
        how.accept(world);
        assertEquals(sentences, explain(world, pod).getSentencesList());
    }

    static ExplainResponse explain(LoopWorld world, String pod) {
        List<ExplainResponse> answers = new ArrayList<>();
        new InspectService(world::snapshot, () -> "there:1", Map::of)
                .explain(
                        ExplainRequest.newBuilder()
                                .setNamespace("default")
                                .setName(pod)
                                .build(),
                        new StreamObserver<>() {
                            @Override
                            public void onNext(ExplainResponse answer) {
                                answers.add(answer);
                            }

                            @Override
                            public void onError(Throwable cause) {
                                throw new AssertionError(cause);
                            }

                            @Override
                            public void onCompleted() {}
                        });
        return answers.getFirst();
    }

    @Override
    public String toString() {
        return name;
    }
}
