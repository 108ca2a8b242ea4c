package dev.cede.model;

import java.util.List;

/** What a coordinator asks of an agent; carried out once however often it arrives. */
public sealed interface Order {
    /** All that is wanted on the node; what is held beyond it and not allocated is dropped. */
    record Welcome(List<Reservation> wanted, List<PodRef> frees) implements Order {
        public Welcome {
            wanted = List.copyOf(wanted);
            frees = List.copyOf(frees);
        }
    }

    /** Keep this room; answered only after it is on the agent's disk. */
    record Reserve(Reservation reservation) implements Order {}

    /** A hold goes to another pod. */
    record Move(String fromPodUid, Reservation to) implements Order {}

    /** A reservation is not wanted any more; allocated shares stay. */
    record Drop(String podUid) implements Order {}

    /** Kubelet's half of a release is fulfilled: read the driver, release when it is empty (E9). */
    record Free(PodRef pod) implements Order {}
}
