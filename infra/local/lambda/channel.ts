import { fork } from "node:child_process";
import type { Writable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { FromSandbox, ToSandbox } from "./protocol.ts";

/** Options for starting the thread or process of a sandbox. */
export interface SandboxStart {
  /** Complete environment; variables of the shell are not inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** Memory limit in MB. */
  readonly memory: number;
  readonly log: Writable;
  onMessage(message: FromSandbox): void;
  /** Called once when the sandbox has ended, with the reason, such as `signal: SIGKILL` or `exit status 1`. */
  onExit(reason: string): void;
}

/** A started thread or process of a sandbox, with its message channel. */
export interface Channel {
  /** Process id; undefined for a thread. */
  readonly pid: number | undefined;
  send(message: ToSandbox): void;
  kill(): void;
}

/** Starts the thread or process of a sandbox. */
export type StartChannel = (start: SandboxStart) => Channel;

/**
 * MB of each half of a sandbox's young generation. With V8's 16 a thread grows to 160 MB for 40 MB in use; with 4 a list of many rows spends
 * a quarter of its time on collecting garbage.
 */
const halfOfYoungMb = 8;

/** The limit of a thread counts three such parts: two halves, and as much for large objects. */
const youngGenerationMb = 3 * halfOfYoungMb;

/**
 * Returns a function that starts a sandbox as a worker thread of this process, which needs less memory and starts faster than a process.
 *
 * @param runtime path of the built `runtime.ts`
 */
export const ownThread =
  (runtime: string): StartChannel =>
  ({ environment, memory, log, onMessage, onExit }: SandboxStart): Channel => {
    const worker = new Worker(runtime, {
      env: environment,
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memory, maxYoungGenerationSizeMb: youngGenerationMb },
    });
    worker.stdout.pipe(log, { end: false });
    worker.stderr.pipe(log, { end: false });
    let reason = "exit status 1";
    worker.on("message", onMessage);
    worker.on("error", (error: Error) => {
      reason = `${error.name}: ${error.message}`;
      log.write(`${error.stack ?? reason}\n`);
    });
    worker.once("exit", () => onExit(reason));
    return { pid: undefined, send: (message) => worker.postMessage(message), kill: () => void worker.terminate() };
  };

/**
 * Returns a function that starts a sandbox as a child process, which can be killed with SIGKILL.
 *
 * @param runtime path of the built `runtime.ts`
 */
export const ownProcess =
  (runtime: string): StartChannel =>
  ({ environment, memory, log, onMessage, onExit }: SandboxStart): Channel => {
    const child = fork(runtime, {
      // Fewer arenas of glibc's allocator leave less free memory with the process.
      env: { ...environment, MALLOC_ARENA_MAX: "2" },
      execArgv: [`--max-old-space-size=${memory}`, `--max-semi-space-size=${halfOfYoungMb}`],
      serialization: "advanced",
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    let hasExited = false;
    const end = (reason: string): void => {
      if (!hasExited) onExit(reason);
      hasExited = true;
    };
    child.on("message", (message) => onMessage(message as FromSandbox));
    child.once("error", (error) => end(error.message));
    child.once("exit", (code, signal) => end(signal === null ? `exit status ${code}` : `signal: ${signal}`));
    return {
      pid: child.pid,
      send: (message) => void (child.connected && child.send(message, () => undefined)),
      kill: () => void child.kill("SIGKILL"),
    };
  };
