package dev.cede.sandbox.scenario;

import java.util.List;

/** One action, and what must be seen after it, in this order. */
public record Step(Action action, List<Expectation> see) {
    public Step {
        see = List.copyOf(see);
    }
}
