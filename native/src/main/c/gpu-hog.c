/*
 * A process that uses simulated cards as a CUDA program would: it takes memory, holds it, and the
 * memory is free when it is dead, however it died. See hog-options.c for what it can be asked.
 */
#define _GNU_SOURCE
#include "hog-options.h"
#include "hog-proc.h"
#include "slots.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXIT_NO_MEMORY 2
#define EXIT_BROKEN 3

static struct timespec interval(double seconds) {
    time_t whole = (time_t)seconds;
    return (struct timespec){whole, (long)((seconds - (double)whole) * 1e9)};
}

static void sleep_for(double seconds) {
    struct timespec rest = interval(seconds);
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {
    }
}

static int out_of_memory(const struct card_conf *conf, uint64_t wanted, uint64_t used) {
    fprintf(stderr,
            "CUDA_ERROR_OUT_OF_MEMORY: card %s: asked for %llu MiB; total %llu, reserved %llu, "
            "used %llu MiB\n",
            conf->uuid, (unsigned long long)(wanted / MIB),
            (unsigned long long)(conf->total_bytes / MIB),
            (unsigned long long)(conf->reserved_bytes / MIB), (unsigned long long)(used / MIB));
    return EXIT_NO_MEMORY;
}

/* With the table locked, so that no two processes can pass the same check. */
static int claim_locked(int fd, const struct card_conf *conf, uint64_t wanted) {
    struct slot_uses uses;
    if (slots_scan(fd, conf->linger_ms, VIEW_GUEST, &uses) != 0) {
        perror("gpu-hog: cannot read who uses the card");
        return EXIT_BROKEN;
    }
    uint64_t used = uses.bytes + ghost_bytes(conf);
    if (used + conf->reserved_bytes + wanted > conf->total_bytes) {
        return out_of_memory(conf, wanted, used);
    }
    if (slots_claim(fd, wanted) != 0) {
        perror("gpu-hog: cannot take a slot of the card");
        return EXIT_BROKEN;
    }
    return 0;
}

/* Takes memory of a card until this process dies: the descriptor stays open, see slots.h. */
static int claim(const char *folder, int card, uint64_t wanted) {
    struct card_conf conf;
    int fd = slots_open(folder, card);
    if (fd < 0 || slots_lock(fd) != 0) {
        fprintf(stderr, "gpu-hog: %s/card%d.slots: %s\n", folder, card, strerror(errno));
        return EXIT_BROKEN;
    }
    if (!card_load(folder, card, &conf)) {
        fprintf(stderr, "gpu-hog: cannot read %s/card%d.conf\n", folder, card);
        return EXIT_BROKEN;
    }
    int code = claim_locked(fd, &conf, wanted);
    slots_unlock(fd);
    return code;
}

/* Ends the process where it cannot have its part of every card. */
static void claim_all(const struct hog_options *hog, uint64_t wanted) {
    if (hog_file_process() != 0) {
        exit(EXIT_BROKEN);
    }
    for (int i = 0; i < hog->card_count; i++) {
        int code = claim(hog->folder, hog->card[i], wanted);
        if (code != 0) {
            exit(code);
        }
    }
}

/* Holds its part and lives on until so long after its parent is gone. */
static void be_the_child(const struct hog_options *hog, int parent_lives, int ready) {
    char byte = 0;
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    setsid();
    claim_all(hog, hog->child_bytes);
    if (write(ready, &byte, 1) != 1) {
        exit(EXIT_BROKEN);
    }
    close(ready);
    while (read(parent_lives, &byte, 1) < 0 && errno == EINTR) {
    }
    sleep_for(hog->child_outlives_seconds);
    exit(0);
}

static pid_t child_or_end(pid_t child, int ready) {
    char byte;
    int status;
    if (read(ready, &byte, 1) == 1) {
        return child;
    }
    waitpid(child, &status, 0);
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BROKEN);
}

/* Returns once the child holds its part; ends as the child did if it could not. */
static pid_t start_child(const struct hog_options *hog) {
    int lives[2], ready[2];
    if (pipe(lives) != 0 || pipe(ready) != 0) {
        perror("gpu-hog: pipe");
        exit(EXIT_BROKEN);
    }
    pid_t child = fork();
    if (child < 0) {
        perror("gpu-hog: fork");
        exit(EXIT_BROKEN);
    }
    if (child == 0) {
        close(lives[1]);
        close(ready[0]);
        be_the_child(hog, lives[0], ready[1]);
    }
    close(lives[0]); /* the other end stays open: when it closes, the child knows that we died */
    close(ready[1]);
    return child_or_end(child, ready[0]);
}

static void say(const struct hog_options *hog, pid_t child) {
    printf("gpu-hog pid=%d holds mib=%llu cards=", (int)getpid(),
           (unsigned long long)((hog->bytes - hog->child_bytes) / MIB));
    for (int i = 0; i < hog->card_count; i++) {
        printf("%s%d", i == 0 ? "" : ",", hog->card[i]);
    }
    if (child > 0) {
        printf(" child=%d child_mib=%llu", (int)child,
               (unsigned long long)(hog->child_bytes / MIB));
    }
    printf("\n");
    fflush(stdout);
}

/* True when it was asked to stop, false when its own time is over. */
static bool wait_for_end(const struct hog_options *hog, const sigset_t *stop) {
    if (hog->exit_after_seconds < 0) {
        while (sigwaitinfo(stop, NULL) < 0) {
        }
        return true;
    }
    struct timespec rest = interval(hog->exit_after_seconds);
    return sigtimedwait(stop, NULL, &rest) > 0;
}

int main(int argc, char **argv) {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    sigprocmask(SIG_BLOCK, &stop, NULL); /* waited for below; a container's PID 1 needs it too */
    struct hog_options hog = hog_options_read(argc, argv);
    claim_all(&hog, hog.bytes - hog.child_bytes);
    say(&hog, hog.child_outlives_seconds < 0 ? 0 : start_child(&hog));
    if (!wait_for_end(&hog, &stop)) {
        return hog.exit_code;
    }
    sleep_for(hog.cling_seconds);
    return hog.term_exit_code;
}
