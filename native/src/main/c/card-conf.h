/*
 * What a simulated card is: the file card<i>.conf, lines of key=value, '#' starts a comment.
 *
 *   uuid=GPU-…          name=…               pci=00000000:3B:00.0   minor=0
 *   total_mib=16384     reserved_mib=0       linger_ms=0
 *   process=PID,MIB[,graphics]   an entry whose process need not exist; MIB may be n/a
 *   error=CALL:RETURN            CALL: all, handle, name, uuid, pci, minor, memory, memory_v2,
 *                                compute, graphics; RETURN: a name such as GPU_IS_LOST
 *
 * driver.conf, which may be missing, holds version=… and error=CALL:RETURN with CALL init or count.
 *
 * Files are read afresh at every call, so whoever changes one writes a new file and renames it.
 */
#ifndef CEDE_CARD_CONF_H
#define CEDE_CARD_CONF_H

#include <stdbool.h>
#include <stdint.h>

#define CARD_MAX 64
#define GHOST_MAX 256
#define FAULT_MAX 16
#define BYTES_NOT_AVAILABLE UINT64_MAX /* NVML_VALUE_NOT_AVAILABLE of nvml.h */

struct ghost {
    uint32_t pid;
    uint64_t bytes;
    bool graphics;
};

struct fault {
    char call[24];
    int code;
};

struct faults {
    int count;
    struct fault fault[FAULT_MAX];
};

struct card_conf {
    char uuid[96];
    char name[96];
    char pci[32];
    unsigned minor;
    uint64_t total_bytes;
    uint64_t reserved_bytes;
    long linger_ms;
    int ghost_count;
    struct ghost ghost[GHOST_MAX];
    struct faults faults;
};

struct driver_conf {
    char version[80];
    struct faults faults;
};

bool card_exists(const char *folder, int card);

/* How many cards there are: card0.conf, card1.conf … up to the first that is missing. */
int card_count(const char *folder);

/* False when the file is missing or wrong; a wrong line is named on stderr. */
bool card_load(const char *folder, int card, struct card_conf *conf);
bool driver_load(const char *folder, struct driver_conf *conf);

/* What all ghosts of a card use. */
uint64_t ghost_bytes(const struct card_conf *conf);

/* The code with which the call is to fail, 0 for none. */
int fault_of(const struct faults *faults, const char *call);

#endif
