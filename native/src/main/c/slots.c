#include "slots.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static uint64_t own_pid_namespace(void) {
    struct stat about;
    return stat("/proc/self/ns/pid", &about) == 0 ? (uint64_t)about.st_ino : 0;
}

int slots_open(const char *folder, int card) {
    char path[4096];
    snprintf(path, sizeof path, "%s/card%d.slots", folder, card);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0 || errno != ENOENT) {
        return fd;
    }
    fd = open(path, O_RDWR | O_CLOEXEC | O_CREAT, 0666);
    if (fd >= 0) {
        (void)fchmod(fd, 0666); /* containers of any user use cards, whatever the umask here */
    }
    return fd;
}

int slots_lock(int fd) {
    int answer;
    do {
        answer = flock(fd, LOCK_EX);
    } while (answer != 0 && errno == EINTR);
    return answer;
}

void slots_unlock(int fd) {
    flock(fd, LOCK_UN);
}

static struct flock byte_lock(int slot) {
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = slot, .l_len = 1};
}

/* Whether a process other than this one holds the slot. */
static bool slot_alive(int fd, int slot, uint32_t *pid) {
    struct flock held = byte_lock(slot);
    if (fcntl(fd, F_GETLK, &held) != 0 || held.l_type == F_UNLCK) {
        return false;
    }
    *pid = held.l_pid > 0 ? (uint32_t)held.l_pid : 0;
    return true;
}

static int read_table(int fd, struct slot_record *table) {
    memset(table, 0, sizeof *table * SLOT_COUNT); /* a short file means empty slots */
    return pread(fd, table, sizeof *table * SLOT_COUNT, 0) < 0 ? -1 : 0;
}

static int write_record(int fd, int slot, const struct slot_record *record) {
    ssize_t written = pwrite(fd, record, sizeof *record, (off_t)slot * (off_t)sizeof *record);
    return written == (ssize_t)sizeof *record ? 0 : -1;
}

static int note_pid(int fd, int slot, struct slot_record *record, uint32_t pid) {
    if (pid == 0 || record->seen_pid == pid) {
        return 0;
    }
    record->seen_pid = pid;
    return write_record(fd, slot, record);
}

/* The PID of a dead owner, where it can be known from here. */
static uint32_t last_pid(const struct slot_record *record) {
    if (record->seen_pid != 0) {
        return record->seen_pid;
    }
    return record->pid_namespace == own_pid_namespace() ? record->owner_pid : 0;
}

/* Notes the death of a record's owner, or wipes the record when its time is over. */
static int bury(int fd, int slot, struct slot_record *record, long linger_ms) {
    uint64_t now = now_ms();
    if (record->died_at_ms == 0) {
        record->died_at_ms = now;
    }
    if (now - record->died_at_ms >= (uint64_t)linger_ms) {
        *record = (struct slot_record){0};
    }
    return write_record(fd, slot, record);
}

static void add_use(struct slot_uses *uses, uint32_t pid, uint64_t bytes) {
    uses->use[uses->count++] = (struct slot_use){.pid = pid, .bytes = bytes};
    uses->bytes += bytes;
}

int slots_scan(int fd, long linger_ms, enum slot_view view, struct slot_uses *uses) {
    struct slot_record table[SLOT_COUNT];
    uses->count = 0;
    uses->bytes = 0;
    if (read_table(fd, table) != 0) {
        return -1;
    }
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        struct slot_record *record = &table[slot];
        uint32_t pid = 0;
        if (record->used_bytes == 0) {
            continue;
        }
        if (slot_alive(fd, slot, &pid)) {
            if (view == VIEW_DRIVER && note_pid(fd, slot, record, pid) != 0) {
                return -1;
            }
            add_use(uses, pid, record->used_bytes);
            continue;
        }
        if (bury(fd, slot, record, linger_ms) != 0) {
            return -1;
        }
        if (record->used_bytes != 0) {
            add_use(uses, last_pid(record), record->used_bytes);
        }
    }
    return 0;
}

int slots_claim(int fd, uint64_t bytes) {
    struct slot_record table[SLOT_COUNT];
    if (read_table(fd, table) != 0) {
        return -1;
    }
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        struct flock mine = byte_lock(slot);
        if (table[slot].used_bytes != 0 || fcntl(fd, F_SETLK, &mine) != 0) {
            continue;
        }
        struct slot_record record = {
            .used_bytes = bytes,
            .pid_namespace = own_pid_namespace(),
            .owner_pid = (uint32_t)getpid(),
        };
        return write_record(fd, slot, &record);
    }
    errno = ENOSPC;
    return -1;
}
