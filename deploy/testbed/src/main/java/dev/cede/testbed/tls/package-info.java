/** Certificates, made in this process. */
package dev.cede.testbed.tls;
