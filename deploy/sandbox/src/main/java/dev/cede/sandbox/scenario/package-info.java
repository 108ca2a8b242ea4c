/** What a run of the sandbox does and what must be seen: read strictly, from a folder of files. */
package dev.cede.sandbox.scenario;
