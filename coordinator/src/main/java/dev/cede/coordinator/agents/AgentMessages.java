package dev.cede.coordinator.agents;

import dev.cede.coordinator.loop.Event;
import dev.cede.model.NodeReport;
import dev.cede.model.OrderResult;
import dev.cede.model.PodRef;
import dev.cede.v1.AllocationRefused;
import dev.cede.wire.LinkWire;
import dev.cede.wire.ModelWire;

import java.util.Optional;
import java.util.function.Supplier;

/** What agents say, judged: an {@link IllegalArgumentException} names the field. */
final class AgentMessages {
    private AgentMessages() {}

    static NodeReport report(dev.cede.v1.NodeReport report) {
        require(report.getNode(), "report.node");
        require(report.getInstance(), "report.instance");
        return naming("report", () -> LinkWire.read(report));
    }

    static OrderResult result(dev.cede.v1.OrderResult result) {
        require(result.getOrderId(), "result.order_id");
        return naming("result", () -> LinkWire.read(result));
    }

    static Event.AllocationRefused refused(String node, AllocationRefused refused) {
        require(refused.getReason(), "refused.reason");
        Optional<PodRef> pod = refused.hasPod()
                ? Optional.of(naming("refused.pod", () -> ModelWire.read(refused.getPod())))
                : Optional.empty();
        return new Event.AllocationRefused(node, pod, refused.getReason());
    }

    private static void require(String text, String field) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException(field + ": empty");
        }
    }

    private static <T> T naming(String field, Supplier<T> read) {
        try {
            return read.get();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException(field + ": " + e.getMessage(), e);
        }
    }
}
