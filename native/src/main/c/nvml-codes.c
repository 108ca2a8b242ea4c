#include "nvml-abi.h"

#include <stddef.h>
#include <string.h>

static const struct {
    int code;
    const char *name;
} codes[] = {
    {0, "SUCCESS"},
    {1, "UNINITIALIZED"},
    {2, "INVALID_ARGUMENT"},
    {3, "NOT_SUPPORTED"},
    {4, "NO_PERMISSION"},
    {5, "ALREADY_INITIALIZED"},
    {6, "NOT_FOUND"},
    {7, "INSUFFICIENT_SIZE"},
    {8, "INSUFFICIENT_POWER"},
    {9, "DRIVER_NOT_LOADED"},
    {10, "TIMEOUT"},
    {11, "IRQ_ISSUE"},
    {12, "LIBRARY_NOT_FOUND"},
    {13, "FUNCTION_NOT_FOUND"},
    {14, "CORRUPTED_INFOROM"},
    {15, "GPU_IS_LOST"},
    {16, "RESET_REQUIRED"},
    {17, "OPERATING_SYSTEM"},
    {18, "LIB_RM_VERSION_MISMATCH"},
    {19, "IN_USE"},
    {20, "MEMORY"},
    {21, "NO_DATA"},
    {23, "INSUFFICIENT_RESOURCES"},
    {25, "ARGUMENT_VERSION_MISMATCH"},
    {26, "DEPRECATED"},
    {27, "NOT_READY"},
    {28, "GPU_NOT_FOUND"},
    {999, "UNKNOWN"},
};

int nvml_code(const char *name) {
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (strcmp(codes[i].name, name) == 0) {
            return codes[i].code;
        }
    }
    return -1;
}

const char *nvml_code_name(int code) {
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (codes[i].code == code) {
            return codes[i].name;
        }
    }
    return NULL;
}
