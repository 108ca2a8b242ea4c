package dev.cede.sandbox.cluster;

import dev.cede.sandbox.cluster.PodWatch.Told;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** When a node had no kubelet or no agent: a pod that was on its way to it then may be rejected. */
final class Disruptions {
    /** One of them; until it is over, its end is far away. */
    private static final class Window {
        private final String node;
        private final long from;
        private volatile long to = Long.MAX_VALUE;

        private Window(String node, long from) {
            this.node = node;
            this.from = from;
        }
    }

    private final List<Window> windows = new ArrayList<>();

    /**
     * Does it.
     *
     * @param whole whether the node would serve a pod again
     */
    void during(String node, Runnable disruption, BooleanSupplier whole) {
        Window window = new Window(node, System.nanoTime());
        synchronized (windows) {
            windows.add(window);
        }
        disruption.run();
        Thread.ofVirtual().name("disruption-" + node).start(() -> {
            Await.until(node + " serves again", whole);
            window.to = System.nanoTime();
        });
    }

    /** Whether the node was disrupted at some time between these versions of a pod. */
    boolean explains(Told bound, Told rejected) {
        String node = bound.node();
        synchronized (windows) {
            return windows.stream()
                    .anyMatch(window -> window.node.equals(node)
                            && window.from <= rejected.nanos()
                            && bound.nanos() <= window.to);
        }
    }

    int count() {
        synchronized (windows) {
            return windows.size();
        }
    }
}
