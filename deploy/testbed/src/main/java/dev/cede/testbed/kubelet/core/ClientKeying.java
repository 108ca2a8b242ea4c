package dev.cede.testbed.kubelet.core;

/** How kubelet finds the client of a plugin whose stream has ended. */
public enum ClientKeying {
    /** By resource name (up to 1.36): an old stream's end disconnects the newest registration. */
    NAME,
    /** By resource name and socket path (from 1.37). */
    NAME_AND_PATH
}
