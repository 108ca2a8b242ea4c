package dev.cede.model;

import java.util.List;

/**
 * A pod whose devices kubelet would give out again, while the driver still shows it (E9).
 *
 * @param blocking the processes that keep its memory
 */
public record ReleaseWatch(PodRef pod, List<GpuProcess> blocking) {
    public ReleaseWatch {
        blocking = List.copyOf(blocking);
    }
}
