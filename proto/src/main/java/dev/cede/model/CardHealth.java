package dev.cede.model;

/** Whether a card takes anything new (B9). */
public enum CardHealth {
    HEALTHY,
    /** Something is wrong on the node, and it is not known on which card: nothing new. */
    SUSPECT,
    UNHEALTHY
}
