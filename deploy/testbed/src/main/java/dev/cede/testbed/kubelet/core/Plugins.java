package dev.cede.testbed.kubelet.core;

import dev.cede.testbed.kubelet.core.Event.PluginOptions;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Which plugin answers for which resource: registrations, their streams and their ends. */
final class Plugins {
    /** The only version of the device-plugin API that kubelet speaks. */
    private static final String VERSION = "v1beta1";

    private static final Pattern RESOURCE = Pattern.compile(
            "[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?");

    /** A connection to a plugin's socket. */
    private record Client(long id, String resource, String endpoint) {}

    /**
     * Who answers for a resource.
     *
     * @param client 0 for one that is only known from the checkpoint
     */
    record Endpoint(long client, PluginOptions options, Optional<Instant> stopped) {
        Endpoint stoppedAt(Instant now) {
            return new Endpoint(client, options, Optional.of(now));
        }
    }

    private final KubeletSettings settings;
    private final Devices devices;
    private final Map<Long, Client> clients = new LinkedHashMap<>();
    /** Client, the Register call that waits for its dial. */
    private final Map<Long, Long> dialing = new LinkedHashMap<>();

    private final SortedMap<String, Long> newestByName = new TreeMap<>();
    private final SortedMap<String, Endpoint> endpoints = new TreeMap<>();
    private long lastClient;

    /** Resources of the checkpoint have an endpoint that stopped just now. */
    Plugins(KubeletSettings settings, Devices devices, Instant now) {
        this.settings = settings;
        this.devices = devices;
        for (String resource : devices.registered()) {
            endpoints.put(resource, new Endpoint(0, PluginOptions.NONE, Optional.of(now)));
        }
    }

    Optional<Endpoint> endpoint(String resource) {
        return Optional.ofNullable(endpoints.get(resource));
    }

    void registerCalled(Event.RegisterCalled event, Outbox out) {
        Optional<String> refusal = refusal(event);
        if (refusal.isPresent()) {
            out.add(new Effect.AnswerRegister(event.call(), refusal));
            return;
        }
        Client client = new Client(++lastClient, event.resource(), event.endpoint());
        clients.put(client.id(), client);
        newestByName.put(client.resource(), client.id());
        dialing.put(client.id(), event.call());
        out.add(new Effect.DialPlugin(client.id(), client.resource(), client.endpoint()));
    }

    private static Optional<String> refusal(Event.RegisterCalled event) {
        if (!event.version().equals(VERSION)) {
            return Optional.of(
                    "requested API version \"%s\" is not supported by kubelet. Supported version is [\"%s\"]"
                            .formatted(event.version(), VERSION));
        }
        String name = event.resource();
        boolean extended = RESOURCE.matcher(name).matches()
                && !name.startsWith("requests.")
                && !name.substring(0, name.indexOf('/')).endsWith("kubernetes.io");
        return extended
                ? Optional.empty()
                : Optional.of("the ResourceName \"%s\" is invalid".formatted(name));
    }

    void dialed(Event.PluginDialed event, Outbox out) {
        Client client = clients.get(event.client());
        Long call = dialing.remove(event.client());
        if (client == null || call == null) {
            return;
        }
        endpoints.put(
                client.resource(), new Endpoint(client.id(), event.options(), Optional.empty()));
        out.add(new Effect.AnswerRegister(call, Optional.empty()));
        out.add(new Effect.OpenListAndWatch(client.id()));
    }

    void dialFailed(Event.PluginDialFailed event, Outbox out) {
        forget(event.client());
        Long call = dialing.remove(event.client());
        if (call != null) {
            out.add(new Effect.AnswerRegister(call, Optional.of(event.why())));
        }
    }

    /** True if the list was taken. A stream that another one has replaced still counts, as in kubelet. */
    boolean listed(Event.DevicesListed event) {
        Client client = clients.get(event.client());
        if (client == null) {
            return false;
        }
        devices.list(client.resource(), event.devices());
        return true;
    }

    void streamEnded(Event.StreamEnded event, Outbox out) {
        Client ended = clients.get(event.client());
        if (ended == null) {
            return;
        }
        if (settings.quirks().keying() == ClientKeying.NAME) {
            // Kubelet up to 1.36 asks "who is the client of this name" and disconnects that one;
            // it has none after a registration whose dial has failed.
            Optional.ofNullable(newestByName.get(ended.resource()))
                    .ifPresent(newest -> disconnect(newest, out));
        } else {
            clients.values().stream()
                    .filter(other -> other.resource().equals(ended.resource()))
                    .filter(other -> other.endpoint().equals(ended.endpoint()))
                    .map(Client::id)
                    .toList()
                    .forEach(id -> disconnect(id, out));
        }
        forget(event.client());
    }

    private void disconnect(long id, Outbox out) {
        Client client = clients.get(id);
        if (client == null) {
            return;
        }
        forget(id);
        out.add(new Effect.CloseClient(id));
        Endpoint endpoint = endpoints.get(client.resource());
        if (endpoint != null && endpoint.client() == id) {
            devices.markUnhealthy(client.resource());
            endpoints.put(client.resource(), endpoint.stoppedAt(out.now()));
        }
    }

    private void forget(long id) {
        Client client = clients.remove(id);
        if (client != null) {
            newestByName.remove(client.resource(), id);
        }
    }

    /** Capacity of each resource; those whose plugin has been away too long are dropped, with 0. */
    SortedMap<String, Long> capacity(Instant now) {
        SortedMap<String, Long> capacity = new TreeMap<>();
        Duration grace = settings.timing().endpointGrace();
        for (String resource : devices.registered()) {
            Endpoint endpoint = endpoints.get(resource);
            boolean expired = endpoint == null
                    || endpoint.stopped()
                            .filter(at -> !now.isBefore(at.plus(grace)))
                            .isPresent();
            if (expired) {
                endpoints.remove(resource);
                devices.drop(resource);
            }
            capacity.put(resource, expired ? 0 : devices.capacity(resource));
        }
        return capacity;
    }
}
