import type { SandboxStart, StartChannel } from "./channel.ts";
import type { FromSandbox, FunctionError, Launch } from "./protocol.ts";

/** An invocation in a sandbox; `write` receives the bytes of the reply. */
interface SandboxCall {
  readonly requestId: string;
  readonly event: string;
  /** Timeout in milliseconds. */
  readonly timeout: number;
  write(data: Uint8Array): void;
}

/** A started instance of a function, which handles one event at a time. */
export interface Sandbox {
  readonly pid: number | undefined;
  /** Invokes the function. Never throws. @returns the error of a failed invocation, otherwise undefined */
  call(call: SandboxCall): Promise<FunctionError | undefined>;
  /** True if the sandbox can take another invocation. */
  isAlive(): boolean;
  kill(): void;
  /** Resolves when the thread or process of the sandbox has ended. */
  readonly termination: Promise<void>;
}

/** Lambda's time limit for the initialization code of a bundle. */
const lambdaInitTimeoutMs = 10_000;

/**
 * Starts a sandbox and loads its bundle. If loading fails or times out, the first invocation returns that error. Load errors and
 * timeouts are also written to the function's log, because the function's code cannot log them.
 */
export const startSandbox = (
  start: StartChannel,
  startOptions: Omit<SandboxStart, "onMessage" | "onExit">,
  launch: Launch,
  initTimeoutMs: number = lambdaInitTimeoutMs,
): Sandbox => {
  const ready = Promise.withResolvers<FunctionError | undefined>();
  const termination = Promise.withResolvers<void>();
  let isRunning = true;
  let current: { write: SandboxCall["write"]; settle: (error: FunctionError | undefined) => void } | undefined;

  const settle = (error: FunctionError | undefined): void => {
    const finished = current;
    current = undefined;
    finished?.settle(error);
  };
  const end = (error: FunctionError): void => {
    isRunning = false;
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
    ...startOptions,
    onMessage: receive,
    onExit: (reason) => {
      end({ errorType: "Runtime.ExitError", errorMessage: `Runtime exited with error: ${reason}` });
      termination.resolve();
    },
  });
  const stop = (error: FunctionError): void => {
    end(error);
    channel.kill();
  };
  const fail = (error: FunctionError): void => {
    const details = error.trace?.join("\n") ?? error.errorMessage;
    startOptions.log.write(`${new Date().toISOString()} ${details}\n`);
    stop(error);
  };
  const failAfter = (milliseconds: number, error: FunctionError): NodeJS.Timeout =>
    setTimeout(() => fail(error), milliseconds);

  channel.send({ type: "launch", launch });
  const initTimer = failAfter(initTimeoutMs, {
    errorType: "Sandbox.Timedout",
    errorMessage: `Init timed out after ${(initTimeoutMs / 1_000).toFixed(2)} seconds`,
  });
  void ready.promise.then(() => clearTimeout(initTimer));

  return {
    pid: channel.pid,
    termination: termination.promise,
    isAlive: () => isRunning,
    kill: () => stop({ errorType: "Runtime.ExitError", errorMessage: "Runtime exited with error: signal: killed" }),
    call: async ({ requestId, event, timeout, write }) => {
      const initError = await ready.promise;
      if (initError !== undefined || !isRunning)
        return initError ?? { errorType: "Runtime.ExitError", errorMessage: "Runtime exited" };
      return new Promise((resolve) => {
        const timer = failAfter(timeout, {
          errorType: "Sandbox.Timedout",
          errorMessage: `${requestId} Task timed out after ${(timeout / 1_000).toFixed(2)} seconds`,
        });
        current = {
          write,
          settle: (error) => {
            clearTimeout(timer);
            resolve(error);
          },
        };
        channel.send({ type: "invoke", invocation: { requestId, event, deadline: Date.now() + timeout } });
      });
    },
  };
};
