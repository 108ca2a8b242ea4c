#include "hog-proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 4096

static int fail(const char *what, const char *path) {
    fprintf(stderr, "gpu-hog: %s %s: %s\n", what, path, strerror(errno));
    return -1;
}

static void remove_entry(const char *entry) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/cgroup", entry);
    unlink(path);
    snprintf(path, sizeof path, "%s/stat", entry);
    unlink(path);
    rmdir(entry);
}

static int write_cgroup(const char *entry) {
    char path[PATH_SIZE];
    const char *lines = getenv("SIM_CGROUP");
    snprintf(path, sizeof path, "%s/cgroup", entry);
    FILE *file = fopen(path, "we");
    if (file == NULL) {
        return fail("cannot write", path);
    }
    for (const char *at = lines == NULL ? "" : lines; *at != '\0'; at++) {
        if (at[0] == '\\' && at[1] == 'n') {
            fputc('\n', file);
            at++;
        } else {
            fputc(*at, file);
        }
    }
    if (lines != NULL) {
        fputc('\n', file);
    }
    return fclose(file) == 0 ? 0 : fail("cannot write", path);
}

static int link_stat(const char *entry) {
    char path[PATH_SIZE], target[64];
    snprintf(path, sizeof path, "%s/stat", entry);
    snprintf(target, sizeof target, "/proc/%d/stat", (int)getpid());
    return symlink(target, path) == 0 ? 0 : fail("cannot link", path);
}

/* Made beside its place and renamed, so that a reader sees all of an entry or none of it. */
int hog_file_process(void) {
    char entry[PATH_SIZE / 2], draft[PATH_SIZE / 2];
    const char *root = getenv("SIM_PROC_ROOT");
    if (root == NULL || root[0] == '\0') {
        return 0;
    }
    snprintf(entry, sizeof entry, "%s/%d", root, (int)getpid());
    snprintf(draft, sizeof draft, "%s/.%d", root, (int)getpid());
    remove_entry(draft);
    if (mkdir(draft, 0755) != 0) {
        return fail("cannot make", draft);
    }
    if (write_cgroup(draft) != 0 || link_stat(draft) != 0) {
        return -1;
    }
    remove_entry(entry); /* of an earlier process with this PID */
    return rename(draft, entry) == 0 ? 0 : fail("cannot make", entry);
}
