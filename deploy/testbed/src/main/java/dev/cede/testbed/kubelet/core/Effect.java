package dev.cede.testbed.kubelet.core;

import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;

/** What a kubelet wants done. Effects are to be carried out in order. */
public sealed interface Effect {
    record AnswerRegister(long call, Optional<String> error) implements Effect {}

    /** Connect to the plugin's socket (a file name) and ask its options. */
    record DialPlugin(long client, String resource, String endpoint) implements Effect {}

    record OpenListAndWatch(long client) implements Effect {}

    record CloseClient(long client) implements Effect {}

    record AskPreference(
            long call,
            long client,
            NavigableSet<String> available,
            NavigableSet<String> mustInclude,
            int size)
            implements Effect {}

    record AskAllocate(long call, long client, List<String> ids) implements Effect {}

    record AskPreStart(long call, long client, List<String> ids) implements Effect {}

    record WriteCheckpoint(Checkpoint checkpoint) implements Effect {}

    record WriteStatus(PodStatusView status) implements Effect {}

    /** DELETE with grace 0 and the UID as precondition. */
    record RemovePod(PodSpec.Id pod) implements Effect {}

    record StartContainer(ContainerLaunch launch) implements Effect {}

    record SignalContainer(String podUid, String container, boolean kill) implements Effect {}

    /** Nothing of the pod runs and its object is gone: its files may go too. */
    record CleanPod(String podUid) implements Effect {}

    /** Tell people; {@code type} is Normal or Warning. */
    record EmitEvent(PodSpec.Id pod, String type, String reason, String message)
            implements Effect {}

    /** Capacity and allocatable of the extended resources. */
    record PublishNode(SortedMap<String, Long> capacity, SortedMap<String, Long> allocatable)
            implements Effect {}

    /** Two plugins wanted the same key of one container; which of them won is chance. */
    record MergeConflict(PodSpec.Id pod, String container, String what, String key)
            implements Effect {}
}
