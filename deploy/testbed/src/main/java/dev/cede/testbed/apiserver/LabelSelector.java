package dev.cede.testbed.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A label selector as it stands in a query: {@code a=b,c!=d,e in (f,g),h notin (i),j,!k}. */
final class LabelSelector {

    static final LabelSelector EVERYTHING = new LabelSelector(List.of());

    private static final Pattern SET = Pattern.compile("(\\S+)\\s+(in|notin)\\s*\\(([^)]*)\\)");
    private static final Pattern EQUALITY = Pattern.compile("([^=!\\s]+)\\s*(==|=|!=)\\s*(\\S*)");
    private static final Pattern EXISTENCE = Pattern.compile("(!?)\\s*([^=!\\s()]+)");

    private final List<Predicate<Map<String, String>>> terms;

    private LabelSelector(List<Predicate<Map<String, String>>> terms) {
        this.terms = terms;
    }

    static LabelSelector parse(String text) {
        if (text.isBlank()) {
            return EVERYTHING;
        }
        List<Predicate<Map<String, String>>> terms = new ArrayList<>();
        for (String term : splitOutsideBrackets(text)) {
            terms.add(term(term.strip()));
        }
        return new LabelSelector(terms);
    }

    boolean matches(Map<String, String> labels) {
        return terms.stream().allMatch(term -> term.test(labels));
    }

    private static Predicate<Map<String, String>> term(String text) {
        Matcher set = SET.matcher(text);
        if (set.matches()) {
            Set<String> values = values(set.group(3));
            boolean in = set.group(2).equals("in");
            String key = set.group(1);
            return labels -> (labels.containsKey(key) && values.contains(labels.get(key))) == in;
        }
        Matcher equality = EQUALITY.matcher(text);
        if (equality.matches()) {
            String key = equality.group(1);
            String value = equality.group(3);
            boolean equal = !equality.group(2).equals("!=");
            return labels -> value.equals(labels.get(key)) == equal;
        }
        Matcher existence = EXISTENCE.matcher(text);
        if (existence.matches()) {
            boolean present = existence.group(1).isEmpty();
            return labels -> labels.containsKey(existence.group(2)) == present;
        }
        throw Refusal.badRequest(
                "labelSelector: cannot read \"" + text + "\"; accepted are k=v, k==v, "
                        + "k!=v, k in (a,b), k notin (a,b), k and !k, joined by commas");
    }

    private static Set<String> values(String text) {
        Set<String> values = new TreeSet<>();
        for (String value : text.split(",", -1)) {
            values.add(value.strip());
        }
        return values;
    }

    private static List<String> splitOutsideBrackets(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (c == ',' && depth == 0) {
                parts.add(text.substring(start, i));
                start = i + 1;
            }
        }
        parts.add(text.substring(start));
        return parts;
    }
}
