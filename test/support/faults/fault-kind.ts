/** What may go wrong with one request to DynamoDB. The local server does none of it by itself. */
export const faultKinds = [
  "throttle",
  /** One item of a transaction has no capacity: the transaction is cancelled, and the SDK does not repeat it. */
  "throttled-item",
  "server-error",
  "conflict",
  /** The request is lost on its way there. */
  "timeout-before",
  /** The request is carried out and its answer is lost. */
  "timeout-after",
  /** The request is carried out, and the connection breaks in the middle of its answer. */
  "reset",
  /** The process dies before the request is carried out: nothing it does afterwards has any effect. */
  "crash-before",
  /** The process dies while the request is carried out. */
  "crash-after",
  /** A part of a batch of writes is handed back. */
  "partial-batch",
  /** A part of a batch of reads is handed back. */
  "partial-get",
  /** An index has not got its newest items yet. */
  "stale-index",
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** One request as it goes over the wire: each of the SDK's repetitions is one of its own. */
export interface Call {
  /** Without its ending, such as `PutItem`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Says what goes wrong with a request; null: nothing. The request waits for the answer. */
export type Decide = (call: Call) => FaultKind | null | Promise<FaultKind | null>;
