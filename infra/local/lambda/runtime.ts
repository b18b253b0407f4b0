/** The program of a worker thread or child process that is one sandbox. */
import { enableCompileCache } from "node:module";
import { parentPort } from "node:worker_threads";
import type { FromSandbox, ToSandbox } from "./protocol.ts";
import { awslambda } from "./response-stream.ts";
import { sandboxProgram } from "./sandbox-program.ts";

const send = (message: FromSandbox): void => {
  if (parentPort === null) process.send?.(message);
  else parentPort.postMessage(message);
};
const receive = sandboxProgram(send);

const { NODE_COMPILE_CACHE: cache } = process.env;
if (cache !== undefined) enableCompileCache(cache);
Object.assign(globalThis, { awslambda });
if (parentPort === null) {
  process.on("message", (message) => void receive(message as ToSandbox));
  // The host process has ended.
  process.on("disconnect", () => process.exit());
} else parentPort.on("message", (message: ToSandbox) => void receive(message));
