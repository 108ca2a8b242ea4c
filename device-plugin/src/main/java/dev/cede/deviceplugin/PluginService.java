package dev.cede.deviceplugin;

import dev.cede.kubelet.deviceplugin.AllocateRequest;
import dev.cede.kubelet.deviceplugin.AllocateResponse;
import dev.cede.kubelet.deviceplugin.DevicePluginGrpc;
import dev.cede.kubelet.deviceplugin.DevicePluginOptions;
import dev.cede.kubelet.deviceplugin.Empty;
import dev.cede.kubelet.deviceplugin.ListAndWatchResponse;
import dev.cede.kubelet.deviceplugin.PreStartContainerRequest;
import dev.cede.kubelet.deviceplugin.PreStartContainerResponse;
import dev.cede.kubelet.deviceplugin.PreferredAllocationRequest;
import dev.cede.kubelet.deviceplugin.PreferredAllocationResponse;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** One resource's plugin, for kubelet to call. */
final class PluginService extends DevicePluginGrpc.DevicePluginImplBase {
    /**
     * Kubelet waits without a limit, and admits no other pod meanwhile; but an error ends the pod,
     * and a write to a busy disk, which an answer waits for, was seen to take more than 2 s.
     */
    private static final long ANSWER_MILLIS = 10_000;

    /** Kubelet's own limit on this call is 30 s. */
    private static final long PRE_START_MILLIS = 20_000;

    /** Told about kubelet's stream. */
    interface StreamWatcher {
        void opened();

        void closed();
    }

    private final DeviceKind kind;
    private final KubeletCalls calls;
    private final StreamWatcher watcher;
    private final List<ServerCallStreamObserver<ListAndWatchResponse>> streams = new ArrayList<>();
    private ListAndWatchResponse devices;

    PluginService(
            DeviceKind kind, KubeletCalls calls, StreamWatcher watcher, List<Device> devices) {
        this.kind = kind;
        this.calls = calls;
        this.watcher = watcher;
        this.devices = DeviceLists.message(devices);
    }

    /** Memory alone: every container has it, and the limit file is written once. */
    static DevicePluginOptions options(DeviceKind kind) {
        return DevicePluginOptions.newBuilder()
                .setPreStartRequired(kind == DeviceKind.MEMORY)
                .setGetPreferredAllocationAvailable(true)
                .build();
    }

    @Override
    public void getDevicePluginOptions(
            Empty request, StreamObserver<DevicePluginOptions> response) {
        response.onNext(options(kind));
        response.onCompleted();
    }

    @Override
    public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> response) {
        var stream = (ServerCallStreamObserver<ListAndWatchResponse>) response;
        stream.setOnCancelHandler(() -> closed(stream));
        synchronized (this) {
            streams.add(stream);
            stream.onNext(devices);
        }
        watcher.opened();
    }

    private void closed(ServerCallStreamObserver<ListAndWatchResponse> stream) {
        boolean last;
        synchronized (this) {
            last = streams.remove(stream) && streams.isEmpty();
        }
        if (last) {
            watcher.closed();
        }
    }

    /** A list like the last one is not sent again. */
    synchronized void publish(List<Device> now) {
        ListAndWatchResponse next = DeviceLists.message(now);
        if (!next.equals(devices)) {
            devices = next;
            streams.forEach(stream -> stream.onNext(next));
        }
    }

    @Override
    public void getPreferredAllocation(
            PreferredAllocationRequest request,
            StreamObserver<PreferredAllocationResponse> response) {
        answer(
                calls.prefer(kind, Answers.offers(request)),
                ANSWER_MILLIS,
                Answers::preferred,
                response);
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> response) {
        List<List<String>> ids = request.getContainerRequestsList().stream()
                .map(each -> List.copyOf(each.getDevicesIdsList()))
                .toList();
        answer(calls.allocate(kind, ids), ANSWER_MILLIS, Answers::allocated, response);
    }

    @Override
    public void preStartContainer(
            PreStartContainerRequest request, StreamObserver<PreStartContainerResponse> response) {
        answer(
                calls.preStart(kind, List.copyOf(request.getDevicesIdsList())),
                PRE_START_MILLIS,
                done -> PreStartContainerResponse.getDefaultInstance(),
                response);
    }

    private static <T, R> void answer(
            CompletionStage<T> stage,
            long limitMillis,
            Function<T, R> form,
            StreamObserver<R> response) {
        var unused = stage.toCompletableFuture()
                .thenApply(form)
                .copy()
                .orTimeout(limitMillis, TimeUnit.MILLISECONDS)
                .whenComplete((message, error) -> {
                    if (error == null) {
                        response.onNext(message);
                        response.onCompleted();
                    } else {
                        response.onError(status(error).asException());
                    }
                });
    }

    private static Status status(Throwable error) {
        Throwable cause = error instanceof CompletionException && error.getCause() != null
                ? error.getCause()
                : error;
        return switch (cause) {
            case CallRefused refused ->
                Status.FAILED_PRECONDITION.withDescription(refused.getMessage());
            case TimeoutException late ->
                Status.DEADLINE_EXCEEDED.withDescription("the agent did not answer in time");
            default -> Status.INTERNAL.withDescription(String.valueOf(cause)).withCause(cause);
        };
    }
}
