/** Leadership, its epoch, and the saved plans, in ZooKeeper. */
package dev.cede.coordinator.zookeeper;
