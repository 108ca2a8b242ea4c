package dev.cede.coordinator.app;

import dev.cede.v1.AgentLinkGrpc;
import dev.cede.v1.InspectGrpc;

import io.grpc.BindableService;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.protobuf.services.HealthStatusManager;

/** Health by service: the process serves, and the link to agents only while it leads. */
final class Health {
    private final HealthStatusManager manager = new HealthStatusManager();

    Health() {
        manager.setStatus(InspectGrpc.SERVICE_NAME, ServingStatus.SERVING);
        leading(false);
    }

    void leading(boolean leading) {
        manager.setStatus(
                AgentLinkGrpc.SERVICE_NAME,
                leading ? ServingStatus.SERVING : ServingStatus.NOT_SERVING);
    }

    BindableService service() {
        return manager.getHealthService();
    }

    void stop() {
        manager.enterTerminalState();
    }
}
