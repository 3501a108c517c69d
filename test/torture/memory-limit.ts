/** A limit of the memory of a process by a control group, where this machine lets one be made. Source: cgroups(7). */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Folders of the groups, with the file of the limit: version 2, then version 1. */
const HIERARCHIES = [
  { folder: "/sys/fs/cgroup", isThere: "cgroup.controllers", limit: "memory.max" },
  { folder: "/sys/fs/cgroup/memory", isThere: "memory.limit_in_bytes", limit: "memory.limit_in_bytes" },
] as const;

/** Limits the memory of a process, beyond which the system kills it. Returns whether it is limited. */
export function limitMemory(pid: number, bytes: number): boolean {
  const group = `elbro-test-${pid}`;
  for (const { folder, isThere, limit } of HIERARCHIES) {
    if (!existsSync(path.join(folder, isThere))) continue;
    const own = path.join(folder, group);
    try {
      mkdirSync(own);
      writeFileSync(path.join(own, limit), String(bytes));
      writeFileSync(path.join(own, "cgroup.procs"), String(pid));
      return true;
    } catch {
      removeGroup(pid);
    }
  }
  return false;
}

/** Removes the group of a process that has ended. */
export function removeGroup(pid: number): void {
  for (const { folder } of HIERARCHIES) {
    try {
      rmdirSync(path.join(folder, `elbro-test-${pid}`));
    } catch {
      // There is none, or its process is just ending.
    }
  }
}
