package dev.cede.model;

/** Names under which pods ask for shares, and the labels and annotations that go with them. */
public final class Resources {
    /** GPU memory in units of 128 MiB. */
    public static final String MEMORY = "volcano.sh/gpu-mem.128Mi";

    /** Compute in percent of a card. */
    public static final String CORE = "volcano.sh/gpu-core.percentage";

    /** Label: over how many cards each container's amounts are split (A8). */
    public static final String GPU_NUMBER = "volcano.sh/gpu-num";

    /** Annotation, else label: {@code "false"} protects a pod from preemption (C4). */
    public static final String PREEMPTABLE = "volcano.sh/preemptable";

    /** Whole cards of the vendor's own device plugin (B12). */
    public static final String WHOLE_CARD = "nvidia.com/gpu";

    private Resources() {}
}
