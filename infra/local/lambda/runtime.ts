/**
 * The program inside a sandbox: loads a function's bundle and calls its handler, one event at a time.
 *
 * Runs in a worker thread or a child process. Not supported: callback-style handlers, extensions, freezing between invocations (a
 * promise that was not awaited keeps running here, unlike in Lambda), back-pressure on streamed replies.
 */
import { enableCompileCache } from "node:module";
import { finished } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import { parentPort } from "node:worker_threads";
import {
  payloadLimit,
  type FromSandbox,
  type FunctionError,
  type Invocation,
  type Launch,
  type ToSandbox,
} from "./protocol.ts";
import { awslambda, isStreaming, ResponseStream } from "./response-stream.ts";

type Handler = (event: unknown, ...args: unknown[]) => unknown;

const send = (message: FromSandbox): void => {
  if (parentPort === null) process.send?.(message);
  else parentPort.postMessage(message);
};

const errorOf = (thrown: unknown): FunctionError => {
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  return { errorType: thrown.name, errorMessage: thrown.message, trace: (thrown.stack ?? "").split("\n") };
};

const contextOf = (launch: Launch, { requestId, deadline }: Invocation) => ({
  awsRequestId: requestId,
  functionName: launch.functionName,
  functionVersion: "$LATEST",
  invokedFunctionArn: launch.functionArn,
  memoryLimitInMB: String(launch.memory),
  logGroupName: `/aws/lambda/${launch.functionName}`,
  logStreamName: "local",
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
});

const chunk = (data: Uint8Array): void => send({ type: "chunk", data });

const call = async (handler: Handler, launch: Launch, invocation: Invocation): Promise<void> => {
  const event: unknown = JSON.parse(invocation.event);
  const context = contextOf(launch, invocation);
  if (isStreaming(handler)) {
    const stream = new ResponseStream(chunk);
    await handler(event, stream, context);
    await finished(stream);
    return;
  }
  const reply = Buffer.from(JSON.stringify(await handler(event, context)) ?? "null");
  if (reply.length > payloadLimit)
    throw Object.assign(
      new Error(`Response payload size exceeded maximum allowed payload size (${payloadLimit} bytes).`),
      { name: "Function.ResponseSizeTooLarge" },
    );
  chunk(reply);
};

let launchResult: Promise<{ launch: Launch; handler: Handler }> | undefined;

const load = async (launch: Launch) => {
  const bundle = (await import(pathToFileURL(launch.file).href)) as Record<string, Handler | undefined>;
  const handler = bundle[launch.handler];
  if (handler === undefined) throw new Error(`${launch.file} does not export ${launch.handler}.`);
  return { launch, handler };
};

const receive = async (message: ToSandbox): Promise<void> => {
  if (message.type === "launch") {
    launchResult = load(message.launch);
    await launchResult.then(
      () => send({ type: "ready" }),
      (thrown: unknown) => send({ type: "ready", error: errorOf(thrown) }),
    );
    return;
  }
  const loaded = await launchResult;
  if (loaded === undefined) return;
  await call(loaded.handler, loaded.launch, message.invocation).then(
    () => send({ type: "end" }),
    (thrown: unknown) => {
      console.error(thrown);
      send({ type: "end", error: errorOf(thrown) });
    },
  );
};

const { NODE_COMPILE_CACHE: cache } = process.env;
if (cache !== undefined) enableCompileCache(cache);
Object.assign(globalThis, { awslambda });
if (parentPort === null) {
  process.on("message", (message) => void receive(message as ToSandbox));
  // The host process has ended.
  process.on("disconnect", () => process.exit());
} else parentPort.on("message", (message: ToSandbox) => void receive(message));
