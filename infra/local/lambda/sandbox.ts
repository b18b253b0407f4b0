import type { Channel, Start } from "./channel.ts";
import type { FromSandbox, FunctionError, Launch } from "./protocol.ts";

/** One call as the sandbox sees it; `write` receives the reply's bytes. */
interface Call {
  readonly requestId: string;
  readonly event: string;
  /** Milliseconds. */
  readonly timeout: number;
  write(data: Uint8Array): void;
}

/** One place where a function runs, one event at a time. */
export interface Sandbox {
  readonly pid: number | undefined;
  /** Calls the function. @returns the error, when there was one. Never throws. */
  call(call: Call): Promise<FunctionError | undefined>;
  /** Whether it can take another call. */
  isAlive(): boolean;
  kill(): void;
  /** Settles when it is gone. */
  readonly gone: Promise<void>;
}

/** Lambda gives the code outside the handler ten seconds. */
const lambdaInitTimeoutMs = 10_000;

/**
 * Starts a sandbox and loads its bundle. A bundle that fails to load, or takes too long, is the first call's error; that and
 * a call that runs too long are also said in the function's log, since such code can say nothing itself.
 */
export const startSandbox = (
  start: (start: Start) => Channel,
  given: Omit<Start, "receive" | "exited">,
  launch: Launch,
  initTimeoutMs: number = lambdaInitTimeoutMs,
): Sandbox => {
  const ready = Promise.withResolvers<FunctionError | undefined>();
  const gone = Promise.withResolvers<void>();
  let alive = true;
  let current: { write: Call["write"]; settle: (error: FunctionError | undefined) => void } | undefined;

  const settle = (error: FunctionError | undefined): void => {
    const finished = current;
    current = undefined;
    finished?.settle(error);
  };
  const end = (error: FunctionError): void => {
    alive = false;
    ready.resolve(error);
    settle(error);
  };
  const receive = (message: FromSandbox): void => {
    if (message.type === "chunk") current?.write(message.data);
    else if (message.type === "end") settle(message.error);
    else if (message.error === undefined) ready.resolve(undefined);
    else fail(message.error);
  };
  const channel = start({
    ...given,
    receive,
    exited: (how) => {
      end({ errorType: "Runtime.ExitError", errorMessage: `Runtime exited with error: ${how}` });
      gone.resolve();
    },
  });
  const stop = (error: FunctionError): void => {
    end(error);
    channel.kill();
  };
  const fail = (error: FunctionError): void => {
    const said = error.trace?.join("\n") ?? error.errorMessage;
    given.log.write(`${new Date().toISOString()} ${said}\n`);
    stop(error);
  };
  const after = (milliseconds: number, error: FunctionError): NodeJS.Timeout =>
    setTimeout(() => fail(error), milliseconds);

  channel.send({ type: "launch", launch });
  const slow = after(initTimeoutMs, {
    errorType: "Sandbox.Timedout",
    errorMessage: `Init timed out after ${(initTimeoutMs / 1_000).toFixed(2)} seconds`,
  });
  void ready.promise.then(() => clearTimeout(slow));

  return {
    pid: channel.pid,
    gone: gone.promise,
    isAlive: () => alive,
    kill: () => stop({ errorType: "Runtime.ExitError", errorMessage: "Runtime exited with error: signal: killed" }),
    call: async ({ requestId, event, timeout, write }) => {
      const failed = await ready.promise;
      if (failed !== undefined || !alive)
        return failed ?? { errorType: "Runtime.ExitError", errorMessage: "Runtime exited" };
      return new Promise((resolve) => {
        const late = after(timeout, {
          errorType: "Sandbox.Timedout",
          errorMessage: `${requestId} Task timed out after ${(timeout / 1_000).toFixed(2)} seconds`,
        });
        current = {
          write,
          settle: (error) => {
            clearTimeout(late);
            resolve(error);
          },
        };
        channel.send({ type: "invoke", invocation: { requestId, event, deadline: Date.now() + timeout } });
      });
    },
  };
};
