package dev.cede.testbed.kubelet.sockets;

import dev.cede.kubelet.deviceplugin.Empty;
import dev.cede.kubelet.deviceplugin.RegisterRequest;
import dev.cede.kubelet.deviceplugin.RegistrationGrpc;
import dev.cede.testbed.kubelet.core.Effect;
import dev.cede.testbed.kubelet.core.Event;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Kubelet's Registration: each call is an event, and is answered once the plugin was dialled back. */
public final class RegistrationService extends RegistrationGrpc.RegistrationImplBase {
    private final Consumer<Event> events;
    private final AtomicLong lastCall = new AtomicLong();
    private final Map<Long, StreamObserver<Empty>> waiting = new ConcurrentHashMap<>();

    public RegistrationService(Consumer<Event> events) {
        this.events = events;
    }

    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> observer) {
        long call = lastCall.incrementAndGet();
        waiting.put(call, observer);
        events.accept(new Event.RegisterCalled(
                call, request.getVersion(), request.getEndpoint(), request.getResourceName()));
    }

    public void answer(Effect.AnswerRegister answer) {
        StreamObserver<Empty> observer = waiting.remove(answer.call());
        if (observer == null) {
            return;
        }
        if (answer.error().isPresent()) {
            observer.onError(
                    Status.UNKNOWN.withDescription(answer.error().get()).asRuntimeException());
        } else {
            observer.onNext(Empty.getDefaultInstance());
            observer.onCompleted();
        }
    }
}
