import type { JsonObject } from "../domain/json.ts";
import { fitted } from "./clip.ts";
import type { Tokens } from "./completion.ts";
import type { Coverage } from "./transcript/transcript.ts";
import type { FailureCode } from "./verdict.ts";

/** What a score's metadata may have, as JSON in UTF-8. */
const maxBytes = 16 * 1024;

/** How a pair was judged. Calls, tokens and time of a shared extraction count for the pair that made the call, 0 for the others. */
export interface Expense {
  readonly attempts: number;
  readonly tokens: Tokens;
  /** Milliseconds spent in calls, waits between them included. */
  readonly latency: number;
}

/** What is known of a pair whatever came of it. */
export interface Circumstances extends Expense {
  readonly model: string;
  readonly promptVersion: string;
  readonly coverage: Coverage;
  readonly traceVersion: number;
}

const told = ({
  model,
  promptVersion,
  tokens,
  attempts,
  latency,
  coverage,
  traceVersion,
}: Circumstances): JsonObject => ({
  model,
  prompt_version: promptVersion,
  tokens: { ...tokens },
  // Not known is null: 0 would say that it was free.
  cost: null,
  attempts,
  latency_ms: Math.round(latency),
  coverage: { ...coverage },
  trace_version: traceVersion,
});

/** Metadata of a score: circumstances, what the metric adds (shortened to fit 16 KB), threshold and success. */
export const scoreMetadata = (
  circumstances: Circumstances,
  details: JsonObject,
  threshold: number,
  value: number,
): JsonObject => {
  const fixed = { ...told(circumstances), threshold, success: value >= threshold };
  const room = maxBytes - Buffer.byteLength(JSON.stringify(fixed));
  const { threshold: _, success, ...before } = fixed;
  return { ...before, ...fitted(details, room), threshold, success };
};

/** Metadata of a pair without a score: why, and the circumstances. */
export const failureMetadata = (code: FailureCode, circumstances: Circumstances): JsonObject => ({
  code,
  ...told(circumstances),
});
