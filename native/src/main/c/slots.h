/*
 * Who uses a simulated card: the file card<i>.slots, a table of fixed-size records.
 *
 * A process uses a card by holding an fcntl write lock on byte n of the file, after writing what
 * it uses into record n. The kernel drops the lock when the process dies, however it dies, so
 * nobody has to tidy up after it. F_GETLK tells a reader the holder's PID in the reader's own PID
 * namespace.
 *
 * Mind three properties of these locks. A process loses them when it closes *any* descriptor of
 * the file, so it opens the file once and keeps it. A forked child does not inherit them. Nobody
 * sees his own.
 *
 * Every look at the table and every change happens under flock() of the whole file, which is a
 * different family of locks and ends with its holder too.
 */
#ifndef CEDE_SLOTS_H
#define CEDE_SLOTS_H

#include <stdint.h>
#include <sys/types.h>

#define SLOT_COUNT 256
#define MIB ((uint64_t)1 << 20)

struct slot_record {
    uint64_t used_bytes;      /* 0: nobody's */
    uint64_t died_at_ms;      /* CLOCK_MONOTONIC when first found without lock; 0: not yet */
    uint64_t pid_namespace;   /* inode of the owner's PID namespace */
    uint32_t owner_pid;       /* as the owner sees itself */
    uint32_t seen_pid;        /* as the driver last saw it; 0: never seen alive */
    unsigned char spare[32];
};
_Static_assert(sizeof(struct slot_record) == 64, "the slot file's layout");

struct slot_use {
    uint32_t pid; /* 0: not visible from here */
    uint64_t bytes;
};

struct slot_uses {
    int count;
    uint64_t bytes; /* of all together */
    struct slot_use use[SLOT_COUNT];
};

enum slot_view {
    VIEW_DRIVER, /* notes the PIDs it sees, for entries that outlive their process */
    VIEW_GUEST,  /* may live in another PID namespace, so leaves them alone */
};

/* Opens the table of a card, made where it is missing. A descriptor, or -1 with errno. */
int slots_open(const char *folder, int card);

/* Takes and gives back the table. 0, or -1 with errno. */
int slots_lock(int fd);
void slots_unlock(int fd);

/*
 * With the table locked: who uses the card now. A record whose owner died stays listed for
 * linger_ms from when this was first noticed, then it is wiped. 0, or -1 with errno.
 */
int slots_scan(int fd, long linger_ms, enum slot_view view, struct slot_uses *uses);

/* With the table locked: takes a free slot for this process. 0, or -1 with errno (ENOSPC: none). */
int slots_claim(int fd, uint64_t bytes);

#endif
