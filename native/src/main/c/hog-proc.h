/*
 * A stand-in for what the kernel writes about a process, where containers are not real ones:
 * SIM_PROC_ROOT/<pid>/cgroup holds SIM_CGROUP ("\n" there ends a line), and stat is a link to the
 * real /proc/<pid>/stat, which dangles once the process is gone.
 */
#ifndef CEDE_HOG_PROC_H
#define CEDE_HOG_PROC_H

/* Files the calling process, if SIM_PROC_ROOT is set. 0, or -1 after saying what went wrong. */
int hog_file_process(void);

#endif
