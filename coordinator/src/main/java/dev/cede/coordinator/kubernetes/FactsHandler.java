package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.EventSink;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns what an informer saw of one kind into events. An object whose facts did not change is not
 * told again; called by one thread at a time.
 */
final class FactsHandler<T extends HasMetadata> implements ResourceEventHandler<T> {
    private static final Logger LOG = LoggerFactory.getLogger(FactsHandler.class);

    private final Function<T, Event> seen;
    private final Function<T, Event> gone;
    private final Runnable listed;
    private final AtomicBoolean wasListed = new AtomicBoolean();
    private final EventSink sink;
    private final Map<String, Event> told = new HashMap<>();

    /**
     * Told nothing yet.
     *
     * @param listed run once, after the first list
     */
    FactsHandler(
            Function<T, Event> seen, Function<T, Event> gone, Runnable listed, EventSink sink) {
        this.seen = seen;
        this.gone = gone;
        this.listed = listed;
        this.sink = sink;
    }

    @Override
    public void onAdd(T object) {
        tell(object);
    }

    @Override
    public void onUpdate(T before, T now) {
        if (!before.getMetadata().getUid().equals(now.getMetadata().getUid())) {
            forget(before);
        }
        tell(now);
    }

    @Override
    public void onDelete(T last, boolean unseen) {
        forget(last);
    }

    @Override
    public void onList(String resourceVersion, boolean empty) {
        if (wasListed.compareAndSet(false, true)) {
            listed.run();
        }
    }

    private void tell(T object) {
        Event event;
        try {
            event = seen.apply(object);
        } catch (RuntimeException e) {
            // One object that cannot be read must not stop the watch of all others.
            LOG.error(
                    "object_unreadable kind={} name={} error=\"{}\"",
                    object.getKind(),
                    object.getMetadata().getName(),
                    e.toString());
            return;
        }
        sink.pace();
        if (!event.equals(told.put(object.getMetadata().getUid(), event))) {
            sink.post(event);
        }
    }

    private void forget(T object) {
        told.remove(object.getMetadata().getUid());
        sink.post(gone.apply(object));
    }
}
