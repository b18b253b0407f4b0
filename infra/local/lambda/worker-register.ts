import { join } from "node:path";
import { writeJson } from "../host/json-file.ts";
import type { ProcessRegister } from "../host/process-register.ts";
import type { Sandbox } from "./sandbox.ts";

/** Writes `workers.json`: the process ids of each function's sandboxes, for developers and tests that kill one. */
export interface WorkerRegister {
  add(functionName: string, sandbox: Sandbox): void;
}

/** Creates an empty `workers.json` in the directory. */
export const openWorkerRegister = (directory: string, processes: ProcessRegister): WorkerRegister => {
  const workers = new Map<string, Set<number>>();
  const save = (): void =>
    writeJson(
      join(directory, "workers.json"),
      Object.fromEntries([...workers].map(([name, pids]) => [name, [...pids]] as const)),
    );
  const track = async (name: string, pid: number, termination: Promise<void>): Promise<void> => {
    const pids = workers.get(name) ?? new Set();
    workers.set(name, pids.add(pid));
    processes.add(pid);
    save();
    await termination;
    pids.delete(pid);
    processes.remove(pid);
    save();
  };
  save();
  return {
    add: (name, { pid, termination }) => {
      if (pid !== undefined) void track(name, pid, termination);
    },
  };
};
