/** What the host tells a sandbox when it starts. */
export interface Launch {
  /** The bundle. */
  readonly file: string;
  /** The name of the handler's export. */
  readonly handler: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memory: number;
}

/** One call of a function; the event is JSON text. */
export interface Invocation {
  readonly requestId: string;
  readonly event: string;
  /** Epoch milliseconds after which the host ends the sandbox. */
  readonly deadline: number;
}

/** An error as Lambda reports it. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** Messages from the host to a sandbox. */
export type ToSandbox =
  | { readonly type: "launch"; readonly launch: Launch }
  | { readonly type: "invoke"; readonly invocation: Invocation };

/** Messages from a sandbox to the host. A reply is any number of chunks, then its end; it ends with an error or not. */
export type FromSandbox =
  | { readonly type: "ready"; readonly error?: FunctionError }
  | { readonly type: "chunk"; readonly data: Uint8Array }
  | { readonly type: "end"; readonly error?: FunctionError };

/** Lambda's limit for the event of a synchronous call and for a buffered reply, in bytes. */
export const payloadLimit = 6_291_556;
