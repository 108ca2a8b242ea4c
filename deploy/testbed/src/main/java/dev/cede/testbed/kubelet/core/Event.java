package dev.cede.testbed.kubelet.core;

import dev.cede.kubelet.deviceplugin.AllocateResponse;

import java.util.List;
import java.util.Optional;

/** What happens to a kubelet. */
public sealed interface Event {
    /** Kubelet starts: publishes its node. */
    record Started() implements Event {}

    /** A plugin calls Register; {@code call} names the call in {@link Effect.AnswerRegister}. */
    record RegisterCalled(long call, String version, String endpoint, String resource)
            implements Event {}

    /** Kubelet has dialled the plugin back and asked for its options. */
    record PluginDialed(long client, PluginOptions options) implements Event {}

    record PluginDialFailed(long client, String why) implements Event {}

    /** A message of ListAndWatch. */
    record DevicesListed(long client, List<PluginDevice> devices) implements Event {}

    /** ListAndWatch is over, whoever ended it. */
    record StreamEnded(long client) implements Event {}

    record PreferenceAnswered(long call, Answer<List<String>> answer) implements Event {}

    record AllocateAnswered(long call, Answer<AllocateResponse> answer) implements Event {}

    record PreStartAnswered(long call, Optional<String> error) implements Event {}

    /** Pods new to this node that arrived together. */
    record PodsAdded(List<PodSpec> pods) implements Event {}

    record PodChanged(PodSpec pod) implements Event {}

    /** The pod's object is gone from the API. */
    record PodGone(PodSpec.Id pod) implements Event {}

    /** Kubelet has seen all of the node's pods since it started. */
    record SourcesReady() implements Event {}

    /** {@code containerId} is the launch's; news of another run of the container is ignored. */
    record ContainerStarted(String podUid, String container, String containerId) implements Event {}

    record ContainerStartFailed(String podUid, String container, String containerId, String why)
            implements Event {}

    record ContainerExited(String podUid, String container, String containerId, int exitCode)
            implements Event {}

    /** Nothing but time has passed; to be sent at {@link KubeletCore#nextDue()}. */
    record TimePassed() implements Event {}

    /** What a plugin says of itself. */
    record PluginOptions(boolean preStart, boolean preference) {
        static final PluginOptions NONE = new PluginOptions(false, false);
    }

    /** A value, or why there is none, in the words in which kubelet reports it. */
    record Answer<T>(Optional<T> value, String error) {
        public static <T> Answer<T> of(T value) {
            return new Answer<>(Optional.of(value), "");
        }

        public static <T> Answer<T> failed(String error) {
            return new Answer<>(Optional.empty(), error);
        }
    }
}
