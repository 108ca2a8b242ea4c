package dev.cede.deviceplugin;

import dev.cede.kubelet.deviceplugin.ListAndWatchResponse;
import dev.cede.model.Card;
import dev.cede.model.CardHealth;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The devices of the whole node, by resource. Topology is not published: with it, kubelet would
 * choose among hundreds of devices of a card before it asks for a preference.
 */
public record DeviceLists(Map<DeviceKind, List<Device>> byKind) {
    /** Kubelet is gRPC's client here and keeps the library's default limit on a message. */
    static final int KUBELET_RECEIVE_LIMIT = 4 << 20;

    static final String HEALTHY = "Healthy";
    static final String UNHEALTHY = "Unhealthy";

    public DeviceLists {
        byKind = Map.copyOf(byKind);
    }

    /** Throws {@link IllegalArgumentException} when a list is more than kubelet would take. */
    public static DeviceLists of(List<Card> cards, DeviceNames names) {
        Map<DeviceKind, List<Device>> byKind = new EnumMap<>(DeviceKind.class);
        for (DeviceKind kind : DeviceKind.values()) {
            List<Device> devices = new ArrayList<>();
            for (Card card : cards) {
                boolean healthy = card.health() != CardHealth.UNHEALTHY;
                names.devices(card, kind).forEach(id -> devices.add(new Device(id, healthy)));
            }
            requireFits(kind, devices);
            byKind.put(kind, List.copyOf(devices));
        }
        return new DeviceLists(byKind);
    }

    private static void requireFits(DeviceKind kind, List<Device> devices) {
        int bytes = message(devices).getSerializedSize();
        if (bytes >= KUBELET_RECEIVE_LIMIT) {
            throw new IllegalArgumentException(devices.size() + " devices of " + kind.resource()
                    + " make a list of " + bytes + " bytes; kubelet takes less than "
                    + KUBELET_RECEIVE_LIMIT);
        }
    }

    static ListAndWatchResponse message(List<Device> devices) {
        ListAndWatchResponse.Builder message = ListAndWatchResponse.newBuilder();
        for (Device device : devices) {
            message.addDevices(dev.cede.kubelet.deviceplugin.Device.newBuilder()
                    .setID(device.id())
                    .setHealth(device.healthy() ? HEALTHY : UNHEALTHY));
        }
        return message.build();
    }
}
