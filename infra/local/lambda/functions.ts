import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import type { ProcessRegister } from "../host/process-register.ts";
import { startProcess, startThread } from "./channel.ts";
import { functionEnvironment, type Endpoints } from "./function-environment.ts";
import { functionName, type FunctionDefinition } from "./function-definition.ts";
import { type Pool, sandboxPool, warmSet } from "./pool.ts";
import { payloadLimit, type FunctionError } from "./protocol.ts";
import { startSandbox } from "./sandbox.ts";
import { openWorkerRegister } from "./worker-register.ts";

/** How a call ended: with the reply's JSON text, or with an error. */
export type Outcome =
  | { readonly requestId: string; readonly payload: string; readonly error?: undefined }
  | { readonly requestId: string; readonly error: FunctionError };

/** The Lambda service. */
export interface Functions {
  /** The function behind a name or ARN. @throws Error when there is none. */
  definition(nameOrArn: string): FunctionDefinition;
  /** Calls a function and waits for its whole reply. @throws PayloadTooLarge for an event Lambda would refuse. */
  invoke(nameOrArn: string, event: unknown): Promise<Outcome>;
  /** Calls a function and hands on its reply as it comes. @returns the error, when there was one. */
  stream(nameOrArn: string, event: unknown, write: (data: Uint8Array) => void): Promise<FunctionError | undefined>;
  /** Kills every sandbox of the functions whose name contains the text, as `kill -9` does. @returns how many. */
  kill(text: string): number;
  close(): Promise<void>;
}

/** An event beyond the limit of a synchronous call. */
export class PayloadTooLarge extends Error {}

const backgroundProcesses = 12;

/** What Lambda is started with. */
export interface FunctionsSetup {
  readonly directory: string;
  /** The built `runtime.ts`. */
  readonly runtime: string;
  readonly definitions: readonly FunctionDefinition[];
  readonly endpoints: Endpoints;
  readonly register: ProcessRegister;
  /** API functions that are kept started while nobody calls them. */
  readonly warmThreads: number;
  /** Sandboxes of a function behind the API at a time. */
  readonly threadsPerFunction: number;
}

/**
 * Lambda: the template's functions, their real bundles, each with its own environment. So many of those behind the API are
 * kept started while nobody calls them.
 *
 * Does not do: IAM, throttling, provisioned concurrency, layers, versions, freezing between calls, X-Ray; see also
 * `runtime.ts`, `pool.ts` and `function-definition.ts`.
 */
export const startFunctions = ({
  directory,
  runtime,
  definitions,
  endpoints,
  register,
  warmThreads,
  threadsPerFunction,
}: FunctionsSetup): Functions => {
  mkdirSync(join(directory, "logs"), { recursive: true });
  const workers = openWorkerRegister(directory, register);
  const warm = { thread: warmSet(warmThreads), process: warmSet(backgroundProcesses) };
  const start = { thread: startThread, process: startProcess };

  const poolOf = (definition: FunctionDefinition): Pool => {
    const { name, arn, file, handler, memory, kind, concurrency } = definition;
    const log = createWriteStream(join(directory, "logs", `${name}.log`), { flags: "a" });
    // A sandbox's last words may come after the log was closed.
    logs.push(log.setMaxListeners(0).on("error", () => undefined));
    const environment = functionEnvironment(definition, endpoints, join(directory, "compile-cache"));
    const width = kind === "thread" ? Math.min(concurrency, threadsPerFunction) : concurrency;
    return sandboxPool(width, warm[kind], () => {
      const launch = { file, handler, memory, functionName: name, functionArn: arn };
      const sandbox = startSandbox(start[kind], { runtime, environment, memory, log }, launch);
      workers.add(name, sandbox);
      return sandbox;
    });
  };

  const logs: Writable[] = [];
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const pools = new Map<string, Pool>();
  const find = (nameOrArn: string): FunctionDefinition => {
    const name = nameOrArn.startsWith("arn:") ? functionName(nameOrArn) : nameOrArn;
    const definition = byName.get(name);
    if (definition === undefined) throw new Error(`The template has no function ${name}.`);
    return definition;
  };
  const run = async (nameOrArn: string, requestId: string, event: unknown, write: (data: Uint8Array) => void) => {
    const definition = find(nameOrArn);
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > payloadLimit) throw new PayloadTooLarge(`The event is over ${payloadLimit} bytes.`);
    const pool = pools.get(definition.name) ?? poolOf(definition);
    pools.set(definition.name, pool);
    return pool.use((sandbox) => sandbox.call({ requestId, event: text, timeout: definition.timeout * 1_000, write }));
  };

  return {
    definition: find,
    invoke: async (nameOrArn, event) => {
      const requestId = crypto.randomUUID();
      const chunks: Uint8Array[] = [];
      const error = await run(nameOrArn, requestId, event, (data) => void chunks.push(data));
      return error === undefined ? { requestId, payload: Buffer.concat(chunks).toString() } : { requestId, error };
    },
    stream: (nameOrArn, event, write) => run(nameOrArn, crypto.randomUUID(), event, write),
    kill: (text) => {
      const hit = [...pools].filter(([name]) => name.includes(text)).flatMap(([, pool]) => pool.sandboxes());
      for (const sandbox of hit) sandbox.kill();
      return hit.length;
    },
    close: async () => {
      const all = [...pools.values()].flatMap((pool) => pool.sandboxes());
      for (const sandbox of all) sandbox.kill();
      await Promise.all(all.map(({ gone }) => gone));
      for (const log of logs) log.end();
    },
  };
};
