package dev.cede.deviceplugin;

import java.util.List;

/** What becomes of one of kubelet's calls: all of its containers are served, or none. */
public sealed interface Choice {
    /**
     * All are served.
     *
     * @param ids devices, a list for each container of the call
     * @param next what is expected after it
     */
    record Chosen(List<List<String>> ids, Steering next) implements Choice {}

    /** One sentence; kubelet fails the pod for good with it. */
    record Refused(String reason) implements Choice {}
}
