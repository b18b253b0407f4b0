import { Worker } from "node:worker_threads";
import type { SandboxStart, StartChannel } from "./channel.ts";
import type { GuardedServices } from "../iam/direct-port.ts";
import type { FromSharedThread, ToSharedThread } from "./protocol.ts";

/** Memory limit of the thread, MB. */
const memory = 2_048;

interface SharedThread {
  /** Sandboxes of the thread that were not killed, by id. */
  readonly sandboxes: Map<number, SandboxStart>;
  send(message: ToSharedThread): void;
  end(): void;
}

/** @param runtime path of the built `shared-runtime.ts` */
const startSharedThread = (runtime: string, guarded: GuardedServices): SharedThread => {
  const worker = new Worker(runtime, {
    // Without this process's variables: with NODE_COMPILE_CACHE, each start would leave 160 more files there, as the handlers' paths differ.
    env: {},
    execArgv: [],
    workerData: guarded,
    resourceLimits: { maxOldGenerationSizeMb: memory },
  });
  const sandboxes = new Map<number, SandboxStart>();
  let reason = "exit status 1";
  worker.on("message", ({ id, ...message }: FromSharedThread) => {
    const sandbox = sandboxes.get(id);
    if (message.type === "output") sandbox?.log.write(message.data);
    else sandbox?.onMessage(message.message);
  });
  worker.on("error", (error: Error) => {
    reason = `${error.name}: ${error.message}`;
    for (const { log } of sandboxes.values()) log.write(`${error.stack ?? reason}\n`);
  });
  worker.once("exit", () => {
    for (const { onExit } of sandboxes.values()) onExit(reason);
    sandboxes.clear();
  });
  return { sandboxes, send: (message) => worker.postMessage(message), end: () => void worker.terminate() };
};

/**
 * Returns a function that starts sandboxes in one thread, which starts with its first sandbox and ends with its last. The handlers must
 * be built with shared modules.
 *
 * Not supported: limits of time and memory. A killed sandbox takes no further event, but what it runs goes on to its end.
 *
 * @param runtime path of the built `shared-runtime.ts`
 * @param guarded services that the functions call without a guard in between: the thread itself checks what their roles allow
 */
export const sharedThread = (runtime: string, guarded: GuardedServices): StartChannel => {
  let thread: SharedThread | undefined;
  let lastId = 0;
  return (start) => {
    if (thread === undefined || thread.sandboxes.size === 0) thread = startSharedThread(runtime, guarded);
    const { sandboxes, send, end } = thread;
    const id = ++lastId;
    sandboxes.set(id, start);
    send({ id, type: "start", environment: start.environment });
    return {
      pid: undefined,
      send: (message) => send({ id, type: "message", message }),
      kill: () => {
        if (!sandboxes.delete(id)) return;
        send({ id, type: "kill" });
        start.onExit("signal: killed");
        if (sandboxes.size === 0) end();
      },
    };
  };
};
