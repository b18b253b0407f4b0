import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeJson } from "./json-file.ts";

interface Registered {
  readonly pid: number;
  /** The command line when it was noted: a pid alone may by now be somebody else's. */
  readonly command: string;
}

interface Register {
  readonly runtime: Registered;
  readonly started: readonly Registered[];
}

/** The processes that this run of the local runtime started and has to stop. */
export interface ProcessRegister {
  add(pid: number | undefined): void;
  remove(pid: number | undefined): void;
}

/** The command line of a process; `undefined` or empty when there is none that runs. */
export const commandOf = (pid: number): string | undefined => {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
};

const isAlive = ({ pid, command }: Registered): boolean => command !== "" && commandOf(pid) === command;

/**
 * Opens `pids.json`: ends what a killed run left behind, then notes this run.
 *
 * Does not do: Windows, where leftovers of a killed run stay until they are ended by hand.
 *
 * @throws Error when another run is using the directory.
 */
export const openProcessRegister = (directory: string): ProcessRegister => {
  const path = join(directory, "pids.json");
  const before = readJson<Register>(path);
  if (before !== undefined && before.runtime.pid !== process.pid && isAlive(before.runtime))
    throw new Error(`Assay is already running on ${directory} (process ${before.runtime.pid}). Stop it first.`);
  for (const left of before?.started ?? []) if (isAlive(left)) process.kill(left.pid, "SIGKILL");

  const runtime = { pid: process.pid, command: commandOf(process.pid) ?? "" };
  const started = new Map<number, Registered>();
  const save = (): void => writeJson(path, { runtime, started: [...started.values()] } satisfies Register);
  save();
  return {
    add: (pid) => {
      if (pid === undefined) return;
      started.set(pid, { pid, command: commandOf(pid) ?? "" });
      save();
    },
    remove: (pid) => {
      if (pid !== undefined && started.delete(pid)) save();
    },
  };
};
