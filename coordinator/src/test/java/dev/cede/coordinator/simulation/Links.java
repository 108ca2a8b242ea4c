package dev.cede.coordinator.simulation;

import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.EventSink;
import dev.cede.model.NodeReport;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** A coordinator's side of the streams: one for each node, of which a newer replaces the older. */
final class Links {
    private final EventSink sink;
    private final Supplier<String> leader;
    private final Map<String, Stream> byNode = new TreeMap<>();
    private final Set<Stream> nameless = new LinkedHashSet<>();
    private boolean leading;
    private long lastStream;

    Links(EventSink sink, Supplier<String> leader) {
        this.sink = sink;
        this.leader = leader;
    }

    void lead() {
        leading = true;
    }

    void stop() {
        leading = false;
        streams().forEach(stream -> {
            forget(stream);
            stream.closed(leader.get());
        });
    }

    List<Stream> streams() {
        List<Stream> all = new ArrayList<>(byNode.values());
        all.addAll(nameless);
        return all;
    }

    void opened(Stream stream) {
        stream.number = ++lastStream;
        if (leading) {
            nameless.add(stream);
        } else {
            stream.closed(leader.get());
        }
    }

    void send(Effect.Send send) {
        Stream stream = byNode.get(send.node());
        if (stream != null && stream.number == send.stream()) {
            stream.down(send);
        }
    }

    void report(Stream stream, NodeReport report) {
        if (nameless.remove(stream)) {
            Stream older = byNode.get(report.node());
            if (older != null) {
                forget(older);
                older.closed("");
            }
            byNode.put(report.node(), stream);
        }
        said(stream, new Event.AgentReported(report.node(), stream.number, report));
    }

    void said(Stream stream, Event event) {
        if (byNode.containsValue(stream)) {
            sink.post(event);
        }
    }

    void ended(Stream stream) {
        forget(stream);
    }

    private void forget(Stream stream) {
        nameless.remove(stream);
        String node = stream.agent.site().name();
        if (byNode.remove(node, stream)) {
            sink.post(new Event.AgentDetached(node, stream.number));
        }
    }
}
