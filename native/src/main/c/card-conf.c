#include "card-conf.h"

#include "nvml-abi.h"
#include "slots.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 4096

static bool number(const char *text, uint64_t max, uint64_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value <= max;
}

static bool text(const char *value, char *into, size_t size) {
    return (size_t)snprintf(into, size, "%s", value) < size;
}

static bool mebibytes(const char *value, uint64_t *bytes) {
    bool good = number(value, UINT32_MAX, bytes);
    *bytes *= MIB;
    return good;
}

static bool add_ghost(char *value, struct card_conf *conf) {
    char *rest = value;
    const char *pid = strsep(&rest, ",");
    const char *mib = strsep(&rest, ",");
    uint64_t pid_number;
    if (conf->ghost_count == GHOST_MAX || mib == NULL || !number(pid, INT32_MAX, &pid_number)) {
        return false;
    }
    struct ghost ghost = {.pid = (uint32_t)pid_number, .bytes = BYTES_NOT_AVAILABLE};
    if (strcmp(mib, "n/a") != 0 && !mebibytes(mib, &ghost.bytes)) {
        return false;
    }
    ghost.graphics = rest != NULL && strcmp(rest, "graphics") == 0;
    conf->ghost[conf->ghost_count++] = ghost;
    return rest == NULL || ghost.graphics;
}

static bool add_fault(char *value, struct faults *faults) {
    char *rest = value;
    const char *call = strsep(&rest, ":");
    if (faults->count == FAULT_MAX || rest == NULL) {
        return false;
    }
    struct fault *fault = &faults->fault[faults->count++];
    fault->code = nvml_code(rest);
    return fault->code > 0 && text(call, fault->call, sizeof fault->call);
}

static bool card_line(const char *key, char *value, void *into) {
    struct card_conf *conf = into;
    uint64_t parsed = 0;
    bool good;
    if (strcmp(key, "uuid") == 0) {
        return text(value, conf->uuid, sizeof conf->uuid);
    } else if (strcmp(key, "name") == 0) {
        return text(value, conf->name, sizeof conf->name);
    } else if (strcmp(key, "pci") == 0) {
        return text(value, conf->pci, sizeof conf->pci);
    } else if (strcmp(key, "total_mib") == 0) {
        return mebibytes(value, &conf->total_bytes);
    } else if (strcmp(key, "reserved_mib") == 0) {
        return mebibytes(value, &conf->reserved_bytes);
    } else if (strcmp(key, "process") == 0) {
        return add_ghost(value, conf);
    } else if (strcmp(key, "error") == 0) {
        return add_fault(value, &conf->faults);
    } else if (strcmp(key, "minor") == 0) {
        good = number(value, UINT16_MAX, &parsed);
        conf->minor = (unsigned)parsed;
        return good;
    } else if (strcmp(key, "linger_ms") == 0) {
        good = number(value, INT32_MAX, &parsed);
        conf->linger_ms = (long)parsed;
        return good;
    }
    return false;
}

static bool driver_line(const char *key, char *value, void *into) {
    struct driver_conf *conf = into;
    if (strcmp(key, "version") == 0) {
        return text(value, conf->version, sizeof conf->version);
    }
    return strcmp(key, "error") == 0 && add_fault(value, &conf->faults);
}

static bool parse_file(FILE *file, const char *path, bool (*take)(const char *, char *, void *),
                       void *into) {
    char line[512];
    for (int at = 1; fgets(line, sizeof line, file) != NULL; at++) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '\0' || line[0] == '#') {
            continue;
        }
        char *value = line;
        const char *key = strsep(&value, "=");
        if (value == NULL || !take(key, value, into)) {
            fprintf(stderr, "%s:%d: not a line of a simulated card: key %s\n", path, at, key);
            return false;
        }
    }
    return true;
}

static void card_path(char *path, const char *folder, int card) {
    snprintf(path, PATH_SIZE, "%s/card%d.conf", folder, card);
}

bool card_exists(const char *folder, int card) {
    char path[PATH_SIZE];
    card_path(path, folder, card);
    return access(path, F_OK) == 0;
}

int card_count(const char *folder) {
    int count = 0;
    while (count < CARD_MAX && card_exists(folder, count)) {
        count++;
    }
    return count;
}

bool card_load(const char *folder, int card, struct card_conf *conf) {
    char path[PATH_SIZE];
    card_path(path, folder, card);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    memset(conf, 0, sizeof *conf);
    bool good = parse_file(file, path, card_line, conf);
    fclose(file);
    return good;
}

bool driver_load(const char *folder, struct driver_conf *conf) {
    char path[PATH_SIZE];
    memset(conf, 0, sizeof *conf);
    text("550.54.15-sim", conf->version, sizeof conf->version);
    snprintf(path, sizeof path, "%s/driver.conf", folder);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return errno == ENOENT;
    }
    bool good = parse_file(file, path, driver_line, conf);
    fclose(file);
    return good;
}

uint64_t ghost_bytes(const struct card_conf *conf) {
    uint64_t sum = 0;
    for (int i = 0; i < conf->ghost_count; i++) {
        sum += conf->ghost[i].bytes == BYTES_NOT_AVAILABLE ? 0 : conf->ghost[i].bytes;
    }
    return sum;
}

int fault_of(const struct faults *faults, const char *call) {
    for (int i = 0; i < faults->count; i++) {
        const char *hit = faults->fault[i].call;
        if (strcmp(hit, call) == 0 || strcmp(hit, "all") == 0) {
            return faults->fault[i].code;
        }
    }
    return 0;
}
