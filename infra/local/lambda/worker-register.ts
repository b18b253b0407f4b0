import { join } from "node:path";
import { writeJson } from "../host/json-file.ts";
import type { ProcessRegister } from "../host/process-register.ts";
import type { Sandbox } from "./sandbox.ts";

/** Keeps `workers.json`: the process ids of each function's sandboxes, for whoever wants to kill one. */
export interface WorkerRegister {
  add(functionName: string, sandbox: Sandbox): void;
}

/** Starts with an empty `workers.json` in the directory. */
export const openWorkerRegister = (directory: string, processes: ProcessRegister): WorkerRegister => {
  const workers = new Map<string, Set<number>>();
  const save = (): void =>
    writeJson(
      join(directory, "workers.json"),
      Object.fromEntries([...workers].map(([name, pids]) => [name, [...pids]] as const)),
    );
  const note = async (name: string, pid: number, gone: Promise<void>): Promise<void> => {
    const pids = workers.get(name) ?? new Set();
    workers.set(name, pids.add(pid));
    processes.add(pid);
    save();
    await gone;
    pids.delete(pid);
    processes.remove(pid);
    save();
  };
  save();
  return {
    add: (name, { pid, gone }) => {
      if (pid !== undefined) void note(name, pid, gone);
    },
  };
};
