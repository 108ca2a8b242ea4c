package dev.cede.sandbox.gang;

import dev.cede.sandbox.cluster.Await;
import dev.cede.sandbox.machine.Machines;
import dev.cede.v1.GetLeaderRequest;
import dev.cede.v1.InspectGrpc;
import dev.cede.v1.InspectGrpc.InspectBlockingStub;
import dev.cede.v1.ListPlansRequest;
import dev.cede.v1.Plan;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The coordinators, asked which of them leads and what it has under way. */
final class Leaders implements AutoCloseable {
    private static final long CALL_SECONDS = 10;

    private final Machines machines;
    private final Map<String, ManagedChannel> channels = new TreeMap<>();
    private Optional<String> killed = Optional.empty();
    private Optional<String> planAtTheKill = Optional.empty();

    Leaders(Machines machines) {
        this.machines = machines;
        machines.coordinatorAddresses()
                .forEach(address -> channels.put(address, machines.channel(address)));
    }

    private InspectBlockingStub inspect(String address) {
        return InspectGrpc.newBlockingStub(channels.get(address))
                .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
    }

    private boolean leads(String address) {
        try {
            return inspect(address)
                    .getLeader(GetLeaderRequest.getDefaultInstance())
                    .getLeading();
        } catch (StatusRuntimeException e) {
            return false;
        }
    }

    /** Waits until there is one. */
    String leader() {
        return Await.present(
                "a coordinator leads",
                () -> channels.keySet().stream().filter(this::leads).findFirst());
    }

    /** Kills the one that leads. */
    void kill() {
        planAtTheKill = machines.savedPlans().stream().findFirst();
        killed = Optional.of(leader());
        killed.ifPresent(machines::killCoordinator);
    }

    /** Empty if nobody was killed. */
    Optional<String> planAtTheKill() {
        return planAtTheKill;
    }

    /** Starts the one that was killed, if one was. */
    void restore() {
        killed.ifPresent(machines::startCoordinator);
        killed = Optional.empty();
    }

    /** Empty while nobody leads. */
    Optional<List<Plan>> plans() {
        try {
            return Optional.of(inspect(leader())
                    .listPlans(ListPlansRequest.getDefaultInstance())
                    .getPlansList());
        } catch (StatusRuntimeException e) {
            return Optional.empty();
        }
    }

    /** Until a plan is at this step. */
    void awaitPlan(String step) {
        Await.until(
                "a plan is " + step,
                () -> plans().stream()
                        .flatMap(List::stream)
                        .anyMatch(plan -> plan.getState().equals(step)));
    }

    /** Neither the one that leads nor ZooKeeper has any. */
    boolean areWithoutPlans() {
        return plans().filter(List::isEmpty).isPresent()
                && machines.savedPlans().isEmpty();
    }

    @Override
    public void close() {
        channels.values().forEach(ManagedChannel::shutdownNow);
    }
}
