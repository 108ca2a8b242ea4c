/* What gpu-hog is asked to do: from flags, else from the environment. */
#ifndef CEDE_HOG_OPTIONS_H
#define CEDE_HOG_OPTIONS_H

#include "card-conf.h"

#define EXIT_USAGE 64

struct hog_options {
    const char *folder;
    int card_count;
    int card[CARD_MAX]; /* indexes, each once */
    uint64_t bytes;     /* what the hog and its child hold together, on each card */
    uint64_t child_bytes;
    double cling_seconds;
    double child_outlives_seconds; /* negative: no child */
    double exit_after_seconds;     /* negative: never */
    int exit_code;
    int term_exit_code;
};

/* Prints what is wrong and exits with EXIT_USAGE if something is. */
struct hog_options hog_options_read(int argc, char **argv);

#endif
