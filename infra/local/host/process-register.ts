import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readJson, writeJson } from "./json-file.ts";

interface ProcessEntry {
  readonly pid: number;
  /** Command line at the time of registration, to detect that the operating system has reused the pid. */
  readonly command: string;
}

interface Register {
  readonly runtime: ProcessEntry;
  readonly started: readonly ProcessEntry[];
}

/** The child processes that this run of the local runtime must stop. */
export interface ProcessRegister {
  add(pid: number | undefined): void;
  remove(pid: number | undefined): void;
}

/** Reads the command line of a process; `undefined` or empty when no such process runs. */
export const commandOf = (pid: number): string | undefined => {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return execFileSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
};

const isAlive = ({ pid, command }: ProcessEntry): boolean => command !== "" && commandOf(pid) === command;

/**
 * Opens `pids.json`: kills processes that a killed run left behind, then registers this run.
 *
 * Not supported: Windows, where leftover processes must be ended by hand.
 *
 * @throws Error when another run uses the directory.
 */
export const openProcessRegister = (directory: string): ProcessRegister => {
  const path = join(directory, "pids.json");
  const previous = readJson<Register>(path);
  if (previous !== undefined && previous.runtime.pid !== process.pid && isAlive(previous.runtime))
    throw new Error(`Assay is already running on ${directory} (process ${previous.runtime.pid}). Stop it first.`);
  for (const leftover of previous?.started ?? []) if (isAlive(leftover)) process.kill(leftover.pid, "SIGKILL");

  const runtime = { pid: process.pid, command: commandOf(process.pid) ?? "" };
  const started = new Map<number, ProcessEntry>();
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
