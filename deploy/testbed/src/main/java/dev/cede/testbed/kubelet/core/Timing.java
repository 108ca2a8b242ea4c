package dev.cede.testbed.kubelet.core;

import java.time.Duration;

/**
 * How long things take on the node.
 *
 * @param start from a pod's admission to its first container's start; a real pod is Running 0.3 to
 *     1 s after its bind
 * @param noticed from a process's end by itself to the write that says "terminated"; kubelet looks
 *     once a second
 * @param windUp from that write, where it was the pod's last process, to the one of the final phase;
 *     measured 1.1 to 1.3 s
 * @param finalStatus from the end of a deleted pod's last process to the write that says "all terminated"
 *     and the final phase at once; measured 0.13 to 0.4 s on kubelet 1.36.3
 * @param removal from the end of a deleted pod's last process to the removal of its object;
 *     measured 0.3 to 1.0 s
 * @param restart back-off before a container that ended is started again, doubled each time
 * @param restartLimit largest back-off
 * @param startRetry pause after a failed PreStartContainer; a real kubelet tries again after half a
 *     second once, then every 10 to 15 s
 * @param nodeStatus period of the loop that brings device counts to the Node object
 * @param endpointGrace how long a resource whose plugin is away stays in the node's capacity
 */
public record Timing(
        Span start,
        Span noticed,
        Span windUp,
        Span finalStatus,
        Span removal,
        Duration restart,
        Duration restartLimit,
        Duration startRetry,
        Duration nodeStatus,
        Duration endpointGrace) {

    /** As measured on, and as read in the sources of, kubelet 1.36. */
    public static Timing real() {
        return new Timing(
                Span.millis(200, 600),
                Span.millis(100, 1100),
                Span.millis(1000, 1300),
                Span.millis(150, 250),
                Span.millis(300, 1000),
                Duration.ofSeconds(10),
                Duration.ofMinutes(5),
                Duration.ofSeconds(12),
                Duration.ofSeconds(10),
                Duration.ofMinutes(5));
    }

    /** Real pod timing, with the long pauses cut so that a person or a test need not wait. */
    public static Timing brisk() {
        return real().withRestart(Duration.ofMillis(500))
                .withStartRetry(Duration.ofMillis(300))
                .withNodeStatus(Duration.ofMillis(500));
    }

    public Timing withStart(Span start) {
        return new Timing(
                start,
                noticed,
                windUp,
                finalStatus,
                removal,
                restart,
                restartLimit,
                startRetry,
                nodeStatus,
                endpointGrace);
    }

    public Timing withFinalStatus(Span finalStatus) {
        return new Timing(
                start,
                noticed,
                windUp,
                finalStatus,
                removal,
                restart,
                restartLimit,
                startRetry,
                nodeStatus,
                endpointGrace);
    }

    public Timing withRemoval(Span removal) {
        return new Timing(
                start,
                noticed,
                windUp,
                finalStatus,
                removal,
                restart,
                restartLimit,
                startRetry,
                nodeStatus,
                endpointGrace);
    }

    public Timing withRestart(Duration restart) {
        return new Timing(
                start,
                noticed,
                windUp,
                finalStatus,
                removal,
                restart,
                restartLimit,
                startRetry,
                nodeStatus,
                endpointGrace);
    }

    public Timing withStartRetry(Duration startRetry) {
        return new Timing(
                start,
                noticed,
                windUp,
                finalStatus,
                removal,
                restart,
                restartLimit,
                startRetry,
                nodeStatus,
                endpointGrace);
    }

    public Timing withNodeStatus(Duration nodeStatus) {
        return new Timing(
                start,
                noticed,
                windUp,
                finalStatus,
                removal,
                restart,
                restartLimit,
                startRetry,
                nodeStatus,
                endpointGrace);
    }

    public Timing withEndpointGrace(Duration endpointGrace) {
        return new Timing(
                start,
                noticed,
                windUp,
                finalStatus,
                removal,
                restart,
                restartLimit,
                startRetry,
                nodeStatus,
                endpointGrace);
    }
}
