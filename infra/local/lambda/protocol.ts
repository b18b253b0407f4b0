/** First message of the host to a sandbox: the function to load. */
export interface Launch {
  /** Path of the bundle. */
  readonly file: string;
  /** Name of the bundle's export that is the handler. */
  readonly handler: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memory: number;
}

/** An invocation of a function; the event is JSON text. */
export interface Invocation {
  readonly requestId: string;
  readonly event: string;
  /** Epoch milliseconds at which the host kills the sandbox. */
  readonly deadline: number;
}

/** An error in the format of Lambda's error replies. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** Messages from the host to a sandbox. */
export type ToSandbox =
  | { readonly type: "launch"; readonly launch: Launch }
  | { readonly type: "invoke"; readonly invocation: Invocation };

/** Messages from a sandbox to the host. A reply is any number of chunks, then an end message, with an error if it failed. */
export type FromSandbox =
  | { readonly type: "ready"; readonly error?: FunctionError }
  | { readonly type: "chunk"; readonly data: Uint8Array }
  | { readonly type: "end"; readonly error?: FunctionError };

/** Messages from the host to a thread with several sandboxes, by the sandbox's id. */
export type ToSharedThread =
  | { readonly id: number; readonly type: "start"; readonly environment: Readonly<Record<string, string>> }
  | { readonly id: number; readonly type: "message"; readonly message: ToSandbox }
  | { readonly id: number; readonly type: "kill" };

/** Messages from a thread with several sandboxes to the host: a sandbox's message, or what it printed. */
export type FromSharedThread =
  | { readonly id: number; readonly type: "message"; readonly message: FromSandbox }
  | { readonly id: number; readonly type: "output"; readonly data: Uint8Array | string };

/** Lambda's maximum size in bytes of the event of a synchronous invocation and of a buffered reply. */
export const payloadLimit = 6_291_556;
