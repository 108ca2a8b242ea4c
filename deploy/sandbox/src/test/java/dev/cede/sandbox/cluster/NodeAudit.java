package dev.cede.sandbox.cluster;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.KubeletCheckpoint;
import dev.cede.deviceplugin.KubeletEntry;
import dev.cede.nvml.GpuProcess;
import dev.cede.nvml.NvmlCardInventory;
import dev.cede.sandbox.cluster.PodWatch.Told;
import dev.cede.sandbox.eyes.LiveProcesses;
import dev.cede.sandbox.eyes.PodProcess;
import dev.cede.v1.CardBooks;
import dev.cede.v1.ListNodeCardsResponse;
import dev.cede.v1.Share;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Quantity;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Compares all that there is about the shares of a node at rest: what its pods ask for, the agent's
 * books, kubelet's checkpoint, what each container was told, and what the driver shows.
 */
final class NodeAudit {
    private static final long UNIT_BYTES = 128L << 20;

    private final Path devicePlugins;
    private final LiveProcesses processes;
    private final NvmlCardInventory driver;

    /**
     * Looks at nothing yet.
     *
     * @param devicePlugins kubelet's directory as it is seen from here
     * @param procRoot the processes of the node's containers
     */
    NodeAudit(Path devicePlugins, Path procRoot, NvmlCardInventory driver) {
        this.devicePlugins = devicePlugins;
        this.processes = new LiveProcesses(List.of(procRoot));
        this.driver = driver;
    }

    /**
     * What does not agree, in sentences.
     *
     * @param pods that run on the node
     * @param books as its agent says
     */
    List<String> differences(Collection<Told> pods, ListNodeCardsResponse books) {
        Round round = new Round(books, checkpoint(pods), processes.byPod());
        pods.forEach(round::look);
        round.lookAtCards();
        return round.wrong;
    }

    /** Kubelet forgets a dead pod only when it next needs its devices. */
    private List<KubeletEntry> checkpoint(Collection<Told> pods) {
        SortedSet<String> live = new TreeSet<>();
        pods.forEach(pod -> live.add(pod.uid()));
        try {
            return KubeletCheckpoint.read(devicePlugins).entries().stream()
                    .filter(entry -> live.contains(entry.podUid()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Round {
        private final ListNodeCardsResponse books;
        private final List<KubeletEntry> checkpoint;
        private final SortedMap<String, List<PodProcess>> alive;
        private final List<String> wrong = new ArrayList<>();

        /** Shares that pods explain: UID, slash, container. */
        private final SortedSet<String> explained = new TreeSet<>();

        Round(
                ListNodeCardsResponse books,
                List<KubeletEntry> checkpoint,
                SortedMap<String, List<PodProcess>> alive) {
            this.books = books;
            this.checkpoint = checkpoint;
            this.alive = alive;
        }

        void look(Told pod) {
            pod.pod().getSpec().getContainers().forEach(container -> look(pod, container));
        }

        private void look(Told pod, Container container) {
            explained.add(pod.uid() + "/" + container.getName());
            String who = pod.name() + "/" + container.getName();
            List<Share> shares = shares(pod.uid(), container.getName());
            if (shares.size() != 1) {
                wrong.add(who + " has shares " + shares + " in the books");
                return;
            }
            Share share = shares.getFirst();
            int units = amount(container, HogPod.MEMORY);
            int percentage = amount(container, HogPod.CORE);
            expect(who + ": units in the books", units, share.getUnits());
            expect(who + ": percentage in the books", percentage, share.getCorePercentage());
            expect(
                    who + ": memory devices",
                    units,
                    devices(pod, container, DeviceKind.MEMORY, share));
            expect(
                    who + ": core devices",
                    percentage,
                    devices(pod, container, DeviceKind.CORE, share));
            process(pod, container)
                    .ifPresentOrElse(
                            process -> look(who, process, share),
                            () -> wrong.add(who + " has no process"));
        }

        private List<Share> shares(String uid, String container) {
            return books.getCardsList().stream()
                    .flatMap(card -> card.getSharesList().stream())
                    .filter(share -> share.getPod().getUid().equals(uid))
                    .filter(share -> share.getContainer().equals(container))
                    .toList();
        }

        /** How many the container has in kubelet's checkpoint, all on the share's card. */
        private int devices(Told pod, Container container, DeviceKind kind, Share share) {
            List<String> ids = checkpoint.stream()
                    .filter(entry -> entry.podUid().equals(pod.uid()))
                    .filter(entry -> entry.container().equals(container.getName()))
                    .filter(entry -> entry.kind() == kind)
                    .flatMap(entry -> entry.ids().stream())
                    .toList();
            ids.stream()
                    .filter(id -> !isOn(id, share.getCard()))
                    .findFirst()
                    .ifPresent(id -> wrong.add("%s of %s/%s is not on %s"
                            .formatted(id, pod.name(), container.getName(), share.getCard())));
            return ids.size();
        }

        private Optional<PodProcess> process(Told pod, Container container) {
            String id = pod.pod().getStatus().getContainerStatuses().stream()
                    .filter(status -> status.getName().equals(container.getName()))
                    .map(ContainerStatus::getContainerID)
                    .findFirst()
                    .orElseThrow()
                    .replaceFirst(".*//", "");
            return alive.getOrDefault(pod.uid(), List.of()).stream()
                    .filter(process -> text(process.entry().resolve("cgroup")).contains(id))
                    .findFirst();
        }

        /** What its container was told, as it sees it, and what it really holds. */
        private void look(String who, PodProcess process, Share share) {
            Path proc = Path.of("/proc", String.valueOf(process.pid()));
            String limits = variable(proc, "GPU_HOG_LIMIT_FILE");
            expect(
                    who + ": limits",
                    "memory_mib=%d\ncore_percentage=%d\ncontainer=%s\ncard=%s\n"
                            .formatted(
                                    share.getUnits() * 128,
                                    share.getCorePercentage(),
                                    share.getContainer(),
                                    share.getCard()),
                    text(Path.of(proc + "/root" + limits)));
            expect(
                    who + ": visible cards",
                    share.getCard(),
                    variable(proc, "NVIDIA_VISIBLE_DEVICES"));
            expect(
                    who + ": bytes in the driver's list",
                    List.of(share.getUnits() * UNIT_BYTES),
                    driver.processes(share.getCard()).stream()
                            .filter(entry -> entry.pid() == process.pid())
                            .map(GpuProcess::usedBytes)
                            .map(bytes -> bytes.orElse(-1))
                            .toList());
        }

        void lookAtCards() {
            List<String> ids =
                    checkpoint.stream().flatMap(entry -> entry.ids().stream()).toList();
            expect("devices given out once only", ids.size(), new TreeSet<>(ids).size());
            books.getCardsList().forEach(this::look);
        }

        private void look(CardBooks card) {
            String uuid = card.getCard().getUuid();
            card.getSharesList().stream()
                    .filter(share -> !explained.contains(
                            share.getPod().getUid() + "/" + share.getContainer()))
                    .forEach(share -> wrong.add("nobody explains " + share));
            long given = count(DeviceKind.MEMORY, uuid);
            if (given > card.getCard().getCapacityUnits()) {
                wrong.add(uuid + " has " + given + " units given out");
            }
            if (count(DeviceKind.CORE, uuid) > 100) {
                wrong.add(uuid + " has more than 100 % given out");
            }
            expect(
                    uuid + ": processes in the driver's list",
                    card.getSharesCount(),
                    driver.processes(uuid).size());
        }

        private long count(DeviceKind kind, String card) {
            return checkpoint.stream()
                    .filter(entry -> entry.kind() == kind)
                    .flatMap(entry -> entry.ids().stream())
                    .filter(id -> isOn(id, card))
                    .count();
        }

        private void expect(String what, Object wanted, Object seen) {
            if (!wanted.equals(seen)) {
                wrong.add(what + ": " + seen + " instead of " + wanted);
            }
        }
    }

    /** A device's name begins with digits of its card's UUID. */
    private static boolean isOn(String deviceId, String card) {
        String prefix = deviceId.substring(0, deviceId.lastIndexOf('-'));
        return card.replaceFirst("^GPU-", "").replace("-", "").startsWith(prefix);
    }

    private static int amount(Container container, String resource) {
        Map<String, Quantity> limits = container.getResources().getLimits();
        return Optional.ofNullable(limits.get(resource))
                .map(quantity -> Integer.parseInt(quantity.getAmount()))
                .orElse(0);
    }

    /** Of a process's environment; empty if it is not set. */
    private static String variable(Path proc, String name) {
        return List.of(text(proc.resolve("environ")).split("\0", -1)).stream()
                .filter(line -> line.startsWith(name + "="))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElse("");
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "(" + e + ")";
        }
    }
}
