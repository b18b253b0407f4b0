import { finished } from "node:stream/promises";
import { pathToFileURL } from "node:url";
import {
  payloadLimit,
  type FromSandbox,
  type FunctionError,
  type Invocation,
  type Launch,
  type ToSandbox,
} from "./protocol.ts";
import { isStreaming, ResponseStream } from "./response-stream.ts";

type Handler = (event: unknown, ...args: unknown[]) => unknown;

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

type Send = (message: FromSandbox) => void;

const call = async (handler: Handler, launch: Launch, invocation: Invocation, send: Send): Promise<void> => {
  // A message from a thread copies the whole memory of which its bytes are a part: 64 KB for bytes in the pool of small buffers.
  const chunk = (data: Uint8Array): void =>
    send({ type: "chunk", data: data.length < data.buffer.byteLength ? new Uint8Array(data) : data });
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

const load = async (launch: Launch, instance: string) => {
  const bundle = (await import(pathToFileURL(launch.file).href + instance)) as Record<string, Handler | undefined>;
  const handler = bundle[launch.handler];
  if (handler === undefined) throw new Error(`${launch.file} does not export ${launch.handler}.`);
  return { launch, handler };
};

/**
 * Creates the receiver of a sandbox's messages: it loads a function's bundle and calls its handler, one event at a time.
 *
 * Not supported: callback-style handlers, extensions, freezing between invocations (a promise that was not awaited keeps running
 * here, unlike in Lambda), back-pressure on streamed replies.
 *
 * @param instance ending of the bundle's URL, which differs between the sandboxes of one thread; a URL is loaded once
 */
export const sandboxProgram = (send: Send, instance = "") => {
  let launchResult: ReturnType<typeof load> | undefined;
  return async (message: ToSandbox): Promise<void> => {
    if (message.type === "launch") {
      launchResult = load(message.launch, instance);
      await launchResult.then(
        () => send({ type: "ready" }),
        (thrown: unknown) => send({ type: "ready", error: errorOf(thrown) }),
      );
      return;
    }
    const loaded = await launchResult;
    if (loaded === undefined) return;
    await call(loaded.handler, loaded.launch, message.invocation, send).then(
      () => send({ type: "end" }),
      (thrown: unknown) => {
        console.error(thrown);
        send({ type: "end", error: errorOf(thrown) });
      },
    );
  };
};
