import { fork } from "node:child_process";
import type { Writable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { FromSandbox, ToSandbox } from "./protocol.ts";

/** What it takes to start a sandbox. */
export interface Start {
  /** The built `runtime.ts`. */
  readonly runtime: string;
  /** The whole environment: nothing of the shell's gets in. */
  readonly environment: Readonly<Record<string, string>>;
  /** MB. */
  readonly memory: number;
  readonly log: Writable;
  receive(message: FromSandbox): void;
  /** Called once, with how it ended: `signal: killed`, `exit status 1`. */
  exited(how: string): void;
}

/** A started sandbox, and the way to talk to it. */
export interface Channel {
  /** Of a process of its own. */
  readonly pid: number | undefined;
  send(message: ToSandbox): void;
  kill(): void;
}

/** Starts a sandbox as a thread: cheap, memory-limited, in this process. */
export const startThread = ({ runtime, environment, memory, log, receive, exited }: Start): Channel => {
  const worker = new Worker(runtime, {
    env: environment,
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: memory },
  });
  worker.stdout.pipe(log, { end: false });
  worker.stderr.pipe(log, { end: false });
  let how = "exit status 1";
  worker.on("message", receive);
  worker.on("error", (error: Error) => {
    how = `${error.name}: ${error.message}`;
    log.write(`${error.stack ?? how}\n`);
  });
  worker.once("exit", () => exited(how));
  return { pid: undefined, send: (message) => worker.postMessage(message), kill: () => void worker.terminate() };
};

/** Starts a sandbox as a process of its own, so that killing it is a real kill. */
export const startProcess = ({ runtime, environment, memory, log, receive, exited }: Start): Channel => {
  const child = fork(runtime, {
    env: environment,
    execArgv: [`--max-old-space-size=${memory}`],
    serialization: "advanced",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  let gone = false;
  const end = (how: string): void => {
    if (!gone) exited(how);
    gone = true;
  };
  child.on("message", (message) => receive(message as FromSandbox));
  child.once("error", (error) => end(error.message));
  child.once("exit", (code, signal) => end(signal === null ? `exit status ${code}` : `signal: ${signal}`));
  return {
    pid: child.pid,
    send: (message) => void (child.connected && child.send(message, () => undefined)),
    kill: () => void child.kill("SIGKILL"),
  };
};
