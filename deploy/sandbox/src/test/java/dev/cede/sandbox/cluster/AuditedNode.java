package dev.cede.sandbox.cluster;

import dev.cede.nvml.NvmlCardInventory;
import dev.cede.sandbox.cluster.PodWatch.Told;
import dev.cede.sandbox.kubernetes.GpuNode;
import dev.cede.v1.CardBooks;
import dev.cede.v1.CardServiceGrpc;
import dev.cede.v1.CardServiceGrpc.CardServiceBlockingStub;
import dev.cede.v1.ListNodeCardsRequest;
import dev.cede.v1.ListNodeCardsResponse;
import dev.cede.v1.ShareState;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A node as its agent tells of it, and as it is. */
public final class AuditedNode implements AutoCloseable {
    private static final long CALL_SECONDS = 10;

    private final String name;
    private final NvmlCardInventory driver;
    private final NodeAudit audit;
    private final ManagedChannel agent;

    private AuditedNode(GpuNode node, Path devicePlugins, ManagedChannel agent) {
        this.name = node.name();
        this.driver = NvmlCardInventory.open(node.cards().library().toString());
        this.audit = new NodeAudit(devicePlugins, node.procRoot(), driver);
        this.agent = agent;
    }

    /**
     * Looks at nothing yet.
     *
     * @param devicePlugins kubelet's directory as it is seen from here
     * @param agent where its service is
     */
    public static AuditedNode of(GpuNode node, Path devicePlugins, String agent) {
        return new AuditedNode(
                node,
                devicePlugins,
                Grpc.newChannelBuilder(agent, InsecureChannelCredentials.create())
                        .build());
    }

    public ListNodeCardsResponse books() {
        CardServiceBlockingStub cards = CardServiceGrpc.newBlockingStub(agent);
        return cards.withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)
                .listCards(ListNodeCardsRequest.getDefaultInstance());
    }

    /** Empty while the agent does not answer. */
    public Optional<ListNodeCardsResponse> booksIfAny() {
        try {
            return Optional.of(books());
        } catch (StatusRuntimeException e) {
            return Optional.empty();
        }
    }

    public boolean serves() {
        return booksIfAny().filter(ListNodeCardsResponse::getTakesBinds).isPresent();
    }

    /** It serves, and nothing comes or goes. */
    public boolean isAtRest() {
        return booksIfAny()
                .filter(ListNodeCardsResponse::getTakesBinds)
                .filter(books -> books.getReleasingCount() == 0)
                .filter(books -> books.getCardsList().stream().allMatch(AuditedNode::isAtRest))
                .isPresent();
    }

    private static boolean isAtRest(CardBooks card) {
        return card.getHoldsCount() == 0
                && card.getSharesList().stream()
                        .allMatch(share -> share.getState() == ShareState.ALLOCATED);
    }

    /** What does not agree, in sentences, while all is quiet. */
    public List<String> differences(Collection<Told> present) {
        List<Told> running = present.stream()
                .filter(pod -> pod.running() && name.equals(pod.node()))
                .toList();
        return audit.differences(running, books()).stream()
                .map(text -> name + ": " + text)
                .toList();
    }

    @Override
    public void close() {
        agent.shutdownNow();
        driver.close();
    }
}
