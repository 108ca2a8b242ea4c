/* What the two halves of the simulated driver share. */
#ifndef CEDE_NVML_SIM_H
#define CEDE_NVML_SIM_H

#include "card-conf.h"
#include "slots.h"

#define EXPORT __attribute__((visibility("default")))

/* A handle is the address of one of these. */
struct nvml_device {
    int index;
};

/* The folder of card files: NVML_SIM_DIR, else the folder this library lies in. */
const char *sim_folder(void);

/* Reads the card behind a handle and applies the fault set for the call. An NVML return code. */
int sim_card(const struct nvml_device *device, const char *call, struct card_conf *conf);

/* Who uses the card, ghosts not included. An NVML return code. */
int sim_uses(const struct nvml_device *device, const struct card_conf *conf,
             struct slot_uses *uses);

#endif
