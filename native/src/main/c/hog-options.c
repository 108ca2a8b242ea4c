#define _GNU_SOURCE
#include "hog-options.h"

#include "slots.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The environment variable serves where a container runtime lets nobody give flags. */
static struct {
    const char *flag;
    const char *variable;
    const char *meaning;
    const char *value;
} options[] = {
    {"dir", "NVML_SIM_DIR", "folder of the card files", NULL},
    {"cards", "GPU_HOG_CARDS", "UUIDs or indexes, by commas; else NVIDIA_VISIBLE_DEVICES", NULL},
    {"mib", "GPU_HOG_MIB", "MiB to hold on each card; with 0 it uses none and just lives", NULL},
    {"limit-file", "GPU_HOG_LIMIT_FILE", "file with memory_mib=N, for when no MiB are given", NULL},
    {"cling-seconds", "GPU_HOG_CLING_SECONDS", "how long it holds on after SIGTERM", "0"},
    {"child-outlives-seconds", "GPU_HOG_CHILD_OUTLIVES_SECONDS",
     "forks a child that lives so long after its parent", NULL},
    {"child-mib", "GPU_HOG_CHILD_MIB", "the child's part of the MiB; half if not given", NULL},
    {"exit-after-seconds", "GPU_HOG_EXIT_AFTER_SECONDS", "ends by itself", NULL},
    {"exit-code", "GPU_HOG_EXIT_CODE", "when it ends by itself", "0"},
    {"term-exit-code", "GPU_HOG_TERM_EXIT_CODE", "when it ends by SIGTERM", "0"},
};
enum {
    DIR, CARDS, HOLD, LIMIT_FILE, CLING, CHILD, CHILD_MIB, EXIT_AFTER, EXIT_CODE, TERM_CODE, ALL
};
_Static_assert(sizeof options / sizeof options[0] == ALL, "one name for each option");

static void refuse(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("gpu-hog: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_USAGE);
}

static void usage(void) {
    puts("gpu-hog holds memory of simulated cards until it dies.");
    for (int i = 0; i < ALL; i++) {
        printf("  --%-23s %-31s %s\n", options[i].flag, options[i].variable, options[i].meaning);
    }
    puts("Exit 2: the card has not enough free memory. Exit 64: bad arguments.");
    exit(0);
}

static void read_environment(void) {
    for (int i = 0; i < ALL; i++) {
        const char *value = getenv(options[i].variable);
        if (value != NULL && value[0] != '\0') {
            options[i].value = value;
        }
    }
}

static void read_flags(int argc, char **argv) {
    struct option flags[ALL + 2] = {{0}};
    int chosen;
    for (int i = 0; i < ALL; i++) {
        flags[i] = (struct option){options[i].flag, required_argument, NULL, i};
    }
    flags[ALL] = (struct option){"help", no_argument, NULL, ALL};
    while ((chosen = getopt_long(argc, argv, "", flags, NULL)) != -1) {
        if (chosen == ALL) {
            usage();
        } else if (chosen == '?') {
            exit(EXIT_USAGE);
        }
        options[chosen].value = optarg;
    }
    if (optind < argc) {
        refuse("'%s' is not a flag; --help lists them", argv[optind]);
    }
}

static double seconds(int option) {
    char *end;
    if (options[option].value == NULL) {
        return -1;
    }
    double value = strtod(options[option].value, &end);
    if (*end != '\0' || end == options[option].value || !(value >= 0 && value <= 1e9)) {
        refuse("--%s is '%s', not a number of seconds from 0", options[option].flag,
               options[option].value);
    }
    return value;
}

static uint64_t whole(const char *name, const char *text, uint64_t least, uint64_t most) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < least ||
        value > most) {
        refuse("%s is '%s', not a whole number from %llu to %llu", name, text,
               (unsigned long long)least, (unsigned long long)most);
    }
    return value;
}

static uint64_t mebibytes(const char *name, const char *text, uint64_t least) {
    return whole(name, text, least, UINT32_MAX) * MIB;
}

static uint64_t limit_of(const char *path) {
    char line[256];
    uint64_t bytes = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        refuse("limit file %s: %s", path, strerror(errno));
    }
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "memory_mib=", strlen("memory_mib=")) == 0) {
            bytes = mebibytes("memory_mib in the limit file", line + strlen("memory_mib="), 1);
        }
    }
    fclose(file);
    if (bytes == 0) {
        refuse("limit file %s has no line memory_mib=N", path);
    }
    return bytes;
}

static uint64_t wanted_bytes(void) {
    if (options[HOLD].value != NULL) {
        return mebibytes("--mib", options[HOLD].value, 0);
    }
    if (options[LIMIT_FILE].value != NULL) {
        return limit_of(options[LIMIT_FILE].value);
    }
    refuse("how many MiB? Give --mib, GPU_HOG_MIB or GPU_HOG_LIMIT_FILE");
}

static int card_by_name(const char *folder, const char *name) {
    struct card_conf conf;
    for (int i = 0; i < CARD_MAX && card_exists(folder, i); i++) {
        char index[16];
        snprintf(index, sizeof index, "%d", i);
        if (strcmp(index, name) == 0 ||
            (card_load(folder, i, &conf) && strcmp(conf.uuid, name) == 0)) {
            return i;
        }
    }
    refuse("no card '%s' in %s", name, folder);
}

static void add_card(struct hog_options *hog, int card) {
    for (int i = 0; i < hog->card_count; i++) {
        if (hog->card[i] == card) {
            return;
        }
    }
    hog->card[hog->card_count++] = card;
}

static void read_cards(struct hog_options *hog) {
    const char *names = options[CARDS].value;
    if (names == NULL) {
        names = getenv("NVIDIA_VISIBLE_DEVICES");
    }
    if (names == NULL || names[0] == '\0') {
        refuse("which card? Give --cards, GPU_HOG_CARDS or NVIDIA_VISIBLE_DEVICES");
    }
    if (strcmp(names, "all") == 0) {
        for (int i = 0; i < card_count(hog->folder); i++) {
            add_card(hog, i);
        }
        return;
    }
    char *list = strdup(names);
    for (char *rest = list, *name; (name = strsep(&rest, ",")) != NULL;) {
        add_card(hog, card_by_name(hog->folder, name));
    }
    free(list);
}

static uint64_t child_part(const struct hog_options *hog) {
    if (hog->child_outlives_seconds < 0) {
        return 0;
    }
    const char *given = options[CHILD_MIB].value;
    uint64_t bytes = given == NULL ? hog->bytes / 2 / MIB * MIB : mebibytes("--child-mib", given, 1);
    if (bytes == 0 || bytes >= hog->bytes) {
        refuse("--child-mib must leave at least 1 of %llu MiB to the parent and to the child",
               (unsigned long long)(hog->bytes / MIB));
    }
    return bytes;
}

struct hog_options hog_options_read(int argc, char **argv) {
    read_environment();
    read_flags(argc, argv);
    struct hog_options hog = {.folder = options[DIR].value};
    if (hog.folder == NULL) {
        refuse("where are the card files? Give --dir or NVML_SIM_DIR");
    }
    hog.cling_seconds = seconds(CLING);
    hog.child_outlives_seconds = seconds(CHILD);
    hog.exit_after_seconds = seconds(EXIT_AFTER);
    hog.exit_code = (int)whole("--exit-code", options[EXIT_CODE].value, 0, 255);
    hog.term_exit_code = (int)whole("--term-exit-code", options[TERM_CODE].value, 0, 255);
    hog.bytes = wanted_bytes();
    hog.child_bytes = child_part(&hog);
    if (hog.bytes > 0) {
        read_cards(&hog);
    }
    return hog;
}
