package dev.cede.testbed.kubelet.core;

/** What the node has beside devices: thousandths of a CPU, bytes of memory, pod slots. */
public record NodeSize(long cpuMillis, long memoryBytes, int pods) {
    /** Room enough that only a test which wants it runs out: 64 CPUs, 256 GiB, kubelet's 110 pods. */
    public static NodeSize roomy() {
        return new NodeSize(64_000, 256L << 30, 110);
    }
}
