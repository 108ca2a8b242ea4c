/** Certificates and keys from files, which are followed while the process runs. */
package dev.cede.tls;
