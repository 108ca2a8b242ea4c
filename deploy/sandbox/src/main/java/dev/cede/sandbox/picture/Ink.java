package dev.cede.sandbox.picture;

/** Colours of a terminal, or none. */
public enum Ink {
    PLAIN,
    COLOUR;

    /** What a text is about. */
    public enum Tone {
        GOOD("32"),
        BAD("31"),
        LEAVING("33"),
        PROMISED("36"),
        FAINT("2"),
        STRONG("1");

        private final String code;

        Tone(String code) {
            this.code = code;
        }
    }

    public String paint(Tone tone, String text) {
        return this == PLAIN || text.isEmpty()
                ? text
                : "\u001b[" + tone.code + "m" + text + "\u001b[0m";
    }
}
