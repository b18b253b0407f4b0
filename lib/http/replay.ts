import type { APIGatewayProxyEvent } from "aws-lambda";
import { sealText, unsealText } from "../domain/access/sealed-text.ts";
import { Refusal } from "../domain/refusal.ts";
import { bodyMismatch } from "../domain/idempotency-check.ts";
import type { IdempotencyRecords } from "../store/limits/idempotency-records.ts";
import type { ReplyWriter } from "./reply-writer.ts";
import { markReplayed, type ReplayRecord } from "./idempotency-key.ts";

/** Stored JSON text of the answer to an earlier request with the same idempotency key. */
export class ReplayedAnswer {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Options of the replay of a request that is identified by a stored record. */
export interface ReplayOptions<Answer> {
  /** Milliseconds during which a started request without an answer blocks its repetition; 0 lets a repetition run at once. */
  readonly lease: number;
  /** True if an answer may be stored and replayed; otherwise a repeated request runs again. Default: always. */
  readonly isFinal?: (answer: Answer) => boolean;
  /** Refusal of a repeated request whose answer is secret and sent only once. */
  readonly secret?: () => Refusal;
}

/** Lease of a started request, longer than the timeout of a function (29 s). */
export const leaseMilliseconds = 35_000;

const inProgress = (): Refusal =>
  new Refusal({ kind: "unavailable", detail: "The same request is being worked on. Try again in a moment." });

/** True if a failed request had no effect, so that its record can be deleted. Outages and rate limits may occur after an effect. */
const hadNoEffect = (error: unknown): boolean =>
  error instanceof Refusal && error.reason.kind !== "unavailable" && error.reason.kind !== "rate-limited";

/**
 * Runs `work` at most once per idempotency key and stores its answer, encrypted, for 24 hours. A repeated request gets the
 * stored answer.
 *
 * @param write JSON writer of the answer, as sent and stored.
 * @throws Refusal `invalid` when the key was used with another body, `unavailable` while the first request is in progress.
 */
export const runOnce = async <Answer>(
  event: APIGatewayProxyEvent,
  records: IdempotencyRecords,
  { id, bodyHash, secret: seal }: ReplayRecord,
  { lease, isFinal = () => true, secret }: ReplayOptions<Answer>,
  work: () => Promise<Answer>,
  write: ReplyWriter,
): Promise<Answer | ReplayedAnswer> => {
  const start = await records.begin(id, bodyHash, lease);
  if (start.kind === "other-body") throw bodyMismatch();
  if (start.kind === "under-way") throw inProgress();
  if (start.kind === "answered") {
    if (secret !== undefined) throw secret();
    markReplayed(event);
    return new ReplayedAnswer(unsealText(seal, start.answer));
  }
  try {
    const answer = await work();
    if (isFinal(answer))
      await records.end(id, sealText(seal, secret === undefined && answer !== undefined ? write(answer) : ""));
    return answer;
  } catch (error) {
    if (hadNoEffect(error)) await records.release(id, bodyHash);
    throw error;
  }
};
