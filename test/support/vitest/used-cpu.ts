import { existsSync, readFileSync } from "node:fs";

/** Files of both versions of control groups that count CPU time, with the number of their units in a second. */
const counters = (path: string, controllers: string): readonly (readonly [string, number])[] =>
  controllers === ""
    ? [[`/sys/fs/cgroup${path}/cpu.stat`, 1e6]]
    : controllers.split(",").includes("cpuacct")
      ? [[`/sys/fs/cgroup/cpuacct${path}/cpuacct.usage`, 1e9]]
      : [];

/**
 * Seconds of CPU that all processes of this process's control group have used, ended ones, browsers and databases
 * included; those of other programs in the group count too.
 *
 * @throws Error where the system does not count them: it is Linux with control groups.
 */
export const usedCpu = (): number => {
  const groups = existsSync("/proc/self/cgroup") ? readFileSync("/proc/self/cgroup", "utf8").trim().split("\n") : [];
  for (const group of groups) {
    const [, controllers = "", path = ""] = group.split(":");
    for (const [file, unit] of counters(path === "/" ? "" : path, controllers)) {
      if (existsSync(file)) return Number(/\d+/u.exec(readFileSync(file, "utf8"))?.[0]) / unit;
    }
  }
  throw new Error("CPU seconds are counted by control groups, which only Linux has.");
};
