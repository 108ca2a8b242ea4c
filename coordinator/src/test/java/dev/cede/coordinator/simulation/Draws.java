package dev.cede.coordinator.simulation;

import java.util.List;
import java.util.SplittableRandom;

/** An actor's own draws: one more of them shifts nobody else's. */
final class Draws {
    private final SplittableRandom random;

    private Draws(SplittableRandom random) {
        this.random = random;
    }

    static Draws of(long seed, String actor) {
        long salt = 0;
        for (int i = 0; i < actor.length(); i++) {
            salt = salt * 0x5851F42D4C957F2DL + actor.charAt(i);
        }
        return new Draws(new SplittableRandom(seed ^ salt).split());
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** Both ends belong to it. */
    long between(long least, long most) {
        return least + random.nextLong(most - least + 1);
    }

    int count(int least, int most) {
        return (int) between(least, most);
    }

    /** Mostly near the least, seldom near the most. */
    long skewed(long least, long most) {
        double draw = random.nextDouble();
        return least + (long) ((most - least) * draw * draw * draw);
    }

    <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    long seed() {
        return random.nextLong();
    }
}
