package dev.cede.testbed.kubelet.core;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/** Where the choice of devices for one container and resource stands. */
sealed interface Choice {
    /** One container's wish. */
    record Wish(String podUid, String container, String resource, long count) {}

    /** The container has what it needs; the plugin is not called. */
    record Nothing() implements Choice {}

    record Refused(String why) implements Choice {}

    record Picked(Open open, List<String> ids) implements Choice {}

    /** The plugin is to say which of the available devices it prefers. */
    record Ask(Open open, NavigableSet<String> available, NavigableSet<String> mustInclude)
            implements Choice {}

    /** A choice that waits for the plugin's preference. */
    final class Open {
        final Wish wish;
        final Set<String> taken = new LinkedHashSet<>();
        /** Preferred devices outside this set are not taken. */
        NavigableSet<String> preferable = new TreeSet<>();
        /** Where the rest comes from, first set first. */
        List<NavigableSet<String>> fallbacks = List.of();

        Open(Wish wish) {
            this.wish = wish;
        }

        long missing() {
            return wish.count() - taken.size();
        }
    }
}
