package dev.cede.deviceplugin;

import dev.cede.model.Amount;
import dev.cede.model.Resources;

/** The two resources, each with a plugin socket of its own. */
public enum DeviceKind {
    /** One device is one unit. */
    MEMORY('m', Resources.MEMORY, "mem"),
    /** One device is one percent of a card's compute. */
    CORE('c', Resources.CORE, "core");

    private final char letter;
    private final String resource;
    private final String fileWord;

    DeviceKind(char letter, String resource, String fileWord) {
        this.letter = letter;
        this.resource = resource;
        this.fileWord = fileWord;
    }

    char letter() {
        return letter;
    }

    public String resource() {
        return resource;
    }

    /** For the names of socket files. */
    String fileWord() {
        return fileWord;
    }

    /** The resource that the other call of the same container names. */
    public DeviceKind counterpart() {
        return this == MEMORY ? CORE : MEMORY;
    }

    /** How many devices of this kind an amount is. */
    public int countOf(Amount amount) {
        return this == MEMORY ? amount.units() : amount.core();
    }
}
