/**
 * The program of a worker thread with several sandboxes. Each sees the environment of its own function, loads its own instance of
 * the handler's module and shares the modules below it; what it prints is sent to its function's log.
 *
 * Not supported: limits of time and memory. A handler that does not end keeps running.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { parentPort, workerData } from "node:worker_threads";
import { directPort, type GuardedServices } from "../iam/direct-port.ts";
import type { FromSharedThread, ToSharedThread } from "./protocol.ts";
import { awslambda } from "./response-stream.ts";
import { sandboxProgram } from "./sandbox-program.ts";

interface SharedSandbox {
  readonly id: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly receive: ReturnType<typeof sandboxProgram>;
}

const current = new AsyncLocalStorage<SharedSandbox>();
const post = (message: FromSharedThread): void => parentPort?.postMessage(message);

const environment = new Proxy<Record<string, string>>(
  {},
  {
    get: (_target, name) => current.getStore()?.environment[String(name)],
    has: (_target, name) => Object.hasOwn(current.getStore()?.environment ?? {}, name),
    ownKeys: () => Object.keys(current.getStore()?.environment ?? {}),
    getOwnPropertyDescriptor: (_target, name) =>
      Object.getOwnPropertyDescriptor({ ...current.getStore()?.environment }, name),
  },
);

const print = (stream: NodeJS.WriteStream): void => {
  const write = stream.write.bind(stream);
  const writeToLog = (data: Uint8Array | string): boolean => {
    const sandbox = current.getStore();
    if (sandbox === undefined) return write(data);
    post({ id: sandbox.id, type: "output", data });
    return true;
  };
  Object.assign(stream, { write: writeToLog });
};

process.env = environment;
print(process.stdout);
print(process.stderr);
const guarded = workerData as GuardedServices;
Object.assign(globalThis, { awslambda });
globalThis.directPortOf = (call) => directPort(guarded, call);

const sandboxes = new Map<number, SharedSandbox>();

parentPort?.on("message", (message: ToSharedThread) => {
  const { id } = message;
  if (message.type === "start") {
    const receive = sandboxProgram((reply) => post({ id, type: "message", message: reply }), `?sandbox=${id}`);
    sandboxes.set(id, { id, environment: message.environment, receive });
    return;
  }
  const sandbox = sandboxes.get(id);
  if (message.type === "kill") sandboxes.delete(id);
  else if (sandbox !== undefined) current.run(sandbox, () => void sandbox.receive(message.message));
});
