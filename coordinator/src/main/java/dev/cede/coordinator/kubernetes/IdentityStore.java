package dev.cede.coordinator.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.informers.cache.ItemStore;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * An informer's memory that keeps who an object is and its version, nothing else: facts live in the
 * state machine, and a status that lists every unit of a card (F6) is never kept.
 */
final class IdentityStore<T extends HasMetadata> implements ItemStore<T> {
    private final Map<String, T> items = new ConcurrentHashMap<>();
    private final Supplier<T> blank;

    IdentityStore(Supplier<T> blank) {
        this.blank = blank;
    }

    @Override
    public String getKey(T object) {
        String namespace = Texts.orEmpty(object.getMetadata().getNamespace());
        return namespace + "/" + object.getMetadata().getName();
    }

    @Override
    public T put(String key, T object) {
        return items.put(key, identity(object));
    }

    private T identity(T object) {
        ObjectMeta meta = object.getMetadata();
        T identity = blank.get();
        identity.setMetadata(new ObjectMetaBuilder()
                .withNamespace(meta.getNamespace())
                .withName(meta.getName())
                .withUid(meta.getUid())
                .withResourceVersion(meta.getResourceVersion())
                .build());
        return identity;
    }

    @Override
    public T remove(String key) {
        return items.remove(key);
    }

    @Override
    public Stream<String> keySet() {
        return items.keySet().stream();
    }

    @Override
    public Stream<T> values() {
        return items.values().stream();
    }

    @Override
    public int size() {
        return items.size();
    }

    @Override
    public T get(String key) {
        return items.get(key);
    }

    @Override
    public boolean isFullState() {
        return false;
    }
}
