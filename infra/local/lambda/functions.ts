import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import type { ProcessRegister } from "../host/process-register.ts";
import type { StartChannel } from "./channel.ts";
import { functionEnvironment, type Endpoints } from "./function-environment.ts";
import { functionName, type FunctionDefinition } from "./function-definition.ts";
import { type Pool, sandboxPool, warmSet } from "./pool.ts";
import { payloadLimit, type FunctionError } from "./protocol.ts";
import { startSandbox } from "./sandbox.ts";
import { openWorkerRegister } from "./worker-register.ts";

/** Result of an invocation: the reply's JSON text, or an error. */
export type InvocationResult =
  | { readonly requestId: string; readonly payload: string; readonly error?: undefined }
  | { readonly requestId: string; readonly error: FunctionError };

/** The emulated Lambda service. */
export interface Functions {
  /** Returns the function with a name or ARN. @throws Error when the template has no such function. */
  definition(nameOrArn: string): FunctionDefinition;
  /** Invokes a function and waits for its complete reply. @throws PayloadTooLarge for an event above 6 MB. */
  invoke(nameOrArn: string, event: unknown): Promise<InvocationResult>;
  /** Invokes a function and passes its reply to `write` chunk by chunk. @returns the error of a failed invocation */
  stream(nameOrArn: string, event: unknown, write: (data: Uint8Array) => void): Promise<FunctionError | undefined>;
  /** Kills every sandbox of the functions whose name contains the text, like `kill -9`. @returns number of killed sandboxes */
  kill(text: string): number;
  close(): Promise<void>;
}

/** Error for an event above the size limit of a synchronous invocation. */
export class PayloadTooLarge extends Error {}

/** Options for starting the Lambda service. */
export interface FunctionsSetup {
  readonly directory: string;
  /** Starts the sandboxes of API functions (`thread`) and of background functions (`process`). */
  readonly start: Readonly<Record<FunctionDefinition["kind"], StartChannel>>;
  readonly definitions: readonly FunctionDefinition[];
  readonly endpoints: Endpoints;
  readonly register: ProcessRegister;
  /** Maximum number of idle sandboxes of API functions that stay started, and as many of background functions. */
  readonly maxIdle: number;
  /** Milliseconds after which an idle sandbox of a background function ends; null: never. */
  readonly maxIdleMs: number | null;
  /** Maximum concurrent sandboxes of one API function. */
  readonly threadsPerFunction: number;
}

/**
 * Starts Lambda with the template's functions: each runs its real bundle in sandboxes with its own environment.
 *
 * Not supported: IAM, throttling, provisioned concurrency, layers, versions, freezing between calls, X-Ray; see also
 * `runtime.ts`, `pool.ts` and `function-definition.ts`.
 */
export const startFunctions = ({
  directory,
  start,
  definitions,
  endpoints,
  register,
  maxIdle,
  maxIdleMs,
  threadsPerFunction,
}: FunctionsSetup): Functions => {
  mkdirSync(join(directory, "logs"), { recursive: true });
  const workers = openWorkerRegister(directory, register);
  const warm = { thread: warmSet(maxIdle), process: warmSet(maxIdle, maxIdleMs) };

  const poolOf = (definition: FunctionDefinition): Pool => {
    const { name, arn, file, handler, memory, kind, concurrency } = definition;
    const log = createWriteStream(join(directory, "logs", `${name}.log`), { flags: "a" });
    // A sandbox may write its last output after the log was closed.
    logs.push(log.setMaxListeners(0).on("error", () => undefined));
    const environment = functionEnvironment(definition, endpoints, join(directory, "compile-cache"));
    const maxSandboxes = kind === "thread" ? Math.min(concurrency, threadsPerFunction) : concurrency;
    return sandboxPool(maxSandboxes, warm[kind], () => {
      const launch = { file, handler, memory, functionName: name, functionArn: arn };
      const sandbox = startSandbox(start[kind], { environment, memory, log }, launch);
      workers.add(name, sandbox);
      return sandbox;
    });
  };

  const logs: Writable[] = [];
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const pools = new Map<string, Pool>();
  const findDefinition = (nameOrArn: string): FunctionDefinition => {
    const name = nameOrArn.startsWith("arn:") ? functionName(nameOrArn) : nameOrArn;
    const definition = byName.get(name);
    if (definition === undefined) throw new Error(`The template has no function ${name}.`);
    return definition;
  };
  const run = async (nameOrArn: string, requestId: string, event: unknown, write: (data: Uint8Array) => void) => {
    const definition = findDefinition(nameOrArn);
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > payloadLimit) throw new PayloadTooLarge(`The event is over ${payloadLimit} bytes.`);
    const pool = pools.get(definition.name) ?? poolOf(definition);
    pools.set(definition.name, pool);
    return pool.use((sandbox) => sandbox.call({ requestId, event: text, timeout: definition.timeout * 1_000, write }));
  };

  return {
    definition: findDefinition,
    invoke: async (nameOrArn, event) => {
      const requestId = crypto.randomUUID();
      const chunks: Uint8Array[] = [];
      const error = await run(nameOrArn, requestId, event, (data) => void chunks.push(data));
      return error === undefined ? { requestId, payload: Buffer.concat(chunks).toString() } : { requestId, error };
    },
    stream: (nameOrArn, event, write) => run(nameOrArn, crypto.randomUUID(), event, write),
    kill: (text) => {
      const sandboxes = [...pools].filter(([name]) => name.includes(text)).flatMap(([, pool]) => pool.sandboxes());
      for (const sandbox of sandboxes) sandbox.kill();
      return sandboxes.length;
    },
    close: async () => {
      const sandboxes = [...pools.values()].flatMap((pool) => pool.sandboxes());
      for (const sandbox of sandboxes) sandbox.kill();
      await Promise.all(sandboxes.map(({ termination }) => termination));
      for (const log of logs) log.end();
    },
  };
};
