import { createHash } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { derivedUuid } from "../domain/access/identity.ts";
import { sealSecret, sealText, unsealText } from "../domain/access/sealed-text.ts";
import { bodyMismatch } from "../domain/idempotency-check.ts";
import { invalid, Refusal } from "../domain/refusal.ts";
import type { IdempotencyRecords } from "../store/limits/idempotency-records.ts";
import { ReplayedAnswer } from "./answers.ts";
import { headerValues, requestIdOf } from "./event.ts";
import { type Exchange, type Idempotency, type ReplayOptions, withoutKey } from "./exchange.ts";
import type { ReplyWriter } from "./reply.ts";

const form = /^[\x21-\x7e]{1,255}$/;

/** Idempotency key of a request: its `Idempotency-Key`, or else its `X-Request-ID`. */
interface IdempotencyKey {
  readonly text: string;
  /** True for an `Idempotency-Key`, which must not be reused with another body. An `X-Request-ID` with another body is another request. */
  readonly isOfOneBody: boolean;
}

const idempotencyKey = (event: APIGatewayProxyEvent): IdempotencyKey | null => {
  const [key, ...otherKeys] = headerValues(event, "Idempotency-Key");
  if (key !== undefined) {
    if (otherKeys.length > 0 || !form.test(key)) {
      throw invalid(
        ["header", "Idempotency-Key"],
        "Value should be 1 to 255 visible ASCII characters",
        "header_invalid",
      );
    }
    return { text: `key:${key}`, isOfOneBody: true };
  }
  const requestId = headerValues(event, "X-Request-ID")[0];
  return requestId !== undefined && requestId === requestIdOf(event)
    ? { text: `request:${requestId}`, isOfOneBody: false }
    : null;
};

/** Identity of the stored record that holds the answer to a request. */
interface ReplayRecord {
  readonly id: string;
  readonly bodyHash: string;
  /** Key that encrypts the stored answer. It is derived from the idempotency key, which is not stored. */
  readonly sealKey: Buffer;
}

/** Lease of a started request, longer than the timeout of a function (29 s). */
export const requestLeaseMilliseconds = 35_000;

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
const runOnce = async <Answer>(
  exchange: Exchange,
  records: IdempotencyRecords,
  { id, bodyHash, sealKey }: ReplayRecord,
  { lease, isFinal = () => true, secret }: ReplayOptions<Answer>,
  work: () => Promise<Answer>,
  write: ReplyWriter,
): Promise<Answer | ReplayedAnswer> => {
  const start = await records.begin(id, bodyHash, lease);
  if (start.kind === "other-body") throw bodyMismatch();
  if (start.kind === "under-way") throw inProgress();
  if (start.kind === "answered") {
    if (secret !== undefined) throw secret();
    exchange.isReplayed = true;
    return new ReplayedAnswer(unsealText(sealKey, start.answer));
  }
  try {
    const answer = await work();
    if (isFinal(answer))
      await records.end(id, sealText(sealKey, secret === undefined && answer !== undefined ? write(answer) : ""));
    return answer;
  } catch (error) {
    if (hadNoEffect(error)) await records.release(id, bodyHash);
    throw error;
  }
};

/**
 * Derives the ids of resources that a POST creates from owner, route and `Idempotency-Key`, or else from `X-Request-ID` and
 * body, so that a repeated request creates the same resources. Without a key the ids are random.
 *
 * @param owner id of the project or user that scopes the key.
 * @param records stored answers; undefined if nothing is replayed.
 * @param write JSON writer of the answers.
 * @throws Refusal `invalid` when the `Idempotency-Key` is malformed.
 */
export const idempotencyOf = (
  exchange: Exchange,
  owner: string,
  records: IdempotencyRecords | undefined,
  write: ReplyWriter,
): Idempotency => {
  const { event, route } = exchange;
  const key = idempotencyKey(event);
  if (key === null) return withoutKey;
  const { text, isOfOneBody } = key;
  // Captured now, because the body parser replaces the body later.
  const [body, encoding] = [event.body ?? "", event.isBase64Encoded ? ("base64" as const) : ("utf8" as const)];
  const path = JSON.stringify(event.pathParameters ?? {});
  let hash: string | undefined;
  const bodyHash = (): string =>
    (hash ??= createHash("sha256").update(body, encoding).digest("base64url").slice(0, 22));
  const identity = (): readonly string[] => [owner, route.id, text, ...(isOfOneBody ? [] : [bodyHash()])];
  const derived = (...position: readonly string[]): string => derivedUuid(...identity(), ...position);
  // Without a body an `X-Request-ID` does not identify a request: some clients send the same id with every request.
  const isRecorded = isOfOneBody || (body !== "" && route.idempotency !== "replay-by-header");
  return {
    idFor: derived,
    hasRandomIds: false,
    idempotency: {
      get bodyHash() {
        return isOfOneBody ? bodyHash() : null;
      },
      checkReplay: (storedHash) => {
        if (isOfOneBody && storedHash !== null && storedHash !== bodyHash()) throw bodyMismatch();
        exchange.isReplayed = true;
      },
    },
    runOnce: async (options, work) => {
      if (!isRecorded || records === undefined) return work();
      const record = {
        id: derived("record", path),
        bodyHash: bodyHash(),
        sealKey: sealSecret(...identity(), path),
      };
      return runOnce(exchange, records, record, options, work, write);
    },
  };
};
