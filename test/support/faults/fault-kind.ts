/** Faults of one request to DynamoDB; the local server causes none of them on its own. */
export const faultKinds = [
  "throttle",
  /** A throttled item of a transaction: the transaction is cancelled, and the SDK does not retry it. */
  "throttled-item",
  "server-error",
  "conflict",
  /** The request is lost before it reaches DynamoDB. */
  "timeout-before",
  /** The request is executed and its reply is lost. */
  "timeout-after",
  /** The request is executed, and the connection breaks in the middle of the reply. */
  "reset",
  /** The process crashes before the request is executed; nothing it does afterwards has an effect. */
  "crash-before",
  /** The process crashes after the request is executed. */
  "crash-after",
  /** A batch write returns part of its items as unprocessed. */
  "partial-batch",
  /** A batch read returns part of its keys as unprocessed. */
  "partial-get",
  /** An index does not yet contain its newest items. */
  "stale-index",
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** A request on the wire; each retry of the SDK is a separate request. */
export interface Call {
  /** Operation name without the suffix `Command`, such as `PutItem`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Decides the fault of a request, null for none; the request waits for the decision. */
export type Decide = (call: Call) => FaultKind | null | Promise<FaultKind | null>;
