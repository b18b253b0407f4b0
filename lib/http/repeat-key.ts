import { createHash } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { derivedUuid, randomId } from "../domain/access/identity.ts";
import { sealSecret } from "../domain/access/sealed-text.ts";
import { invalid } from "../domain/refusal.ts";
import { otherBody, unrepeated, type Repeat } from "../domain/repeat.ts";
import { headerValues, requestIdOf } from "./event.ts";

const form = /^[\x21-\x7e]{1,255}$/;

/** What a client says by which a request can be known again. */
interface SentKey {
  readonly text: string;
  /** An `Idempotency-Key`, which means one body; an `X-Request-ID` with another body is another request. */
  readonly isOfOneBody: boolean;
}

const sentKey = (event: APIGatewayProxyEvent): SentKey | null => {
  const [key, ...others] = headerValues(event, "Idempotency-Key");
  if (key !== undefined) {
    if (others.length > 0 || !form.test(key)) {
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

/** How a record of a request is found, and whose it is. */
export interface Recorded {
  readonly id: string;
  readonly bodyHash: string;
  /** What its answer is sealed with: it follows from the request's key, which no table has. */
  readonly secret: Buffer;
}

/** By what a request is known when it is sent again. */
export interface Mint {
  /** An id for each position; the same when the request is repeated. */
  readonly mint: (position: string) => string;
  /** Nobody can know the ids: the request says nothing by which it could be repeated. */
  readonly mintsAnew: boolean;
  readonly repeat: Repeat;
  /**
   * How a record of the request is found; null where there is to be none.
   *
   * @param onlyByKey whether an `X-Request-ID` is not enough.
   */
  readonly recordOf: (onlyByKey: boolean) => Recorded | null;
}

const repeated = new WeakSet<APIGatewayProxyEvent>();

/** Notes that a request gets the answer of one that came before. */
export const noteRepeated = (event: APIGatewayProxyEvent): void => {
  repeated.add(event);
};

/** The header of the reply to a request that gets the answer of one that came before. */
export const repeatHeaders = (event: APIGatewayProxyEvent): Record<string, string> =>
  repeated.has(event) ? { "Idempotent-Replayed": "true" } : {};

const fresh: Mint = { mint: () => randomId(), mintsAnew: true, repeat: unrepeated, recordOf: () => null };

/**
 * Ids for what a POST makes: the same for a repeated request (same project or user, route and `Idempotency-Key`, or else
 * `X-Request-ID` and body), so that a client that repeats itself makes the same things; random without such a key.
 *
 * @throws Refusal `invalid` when the `Idempotency-Key` is malformed.
 */
export const idMint = (event: APIGatewayProxyEvent, routeId: string, owner: string): Mint => {
  const key = sentKey(event);
  if (key === null) return fresh;
  const { text, isOfOneBody } = key;
  // Taken now: the body is parsed in place later.
  const [body, encoding] = [event.body ?? "", event.isBase64Encoded ? ("base64" as const) : ("utf8" as const)];
  const path = event.pathParameters ?? {};
  let hash: string | undefined;
  const bodyHash = (): string =>
    (hash ??= createHash("sha256").update(body, encoding).digest("base64url").slice(0, 22));
  const known = (): readonly string[] => [owner, routeId, text, ...(isOfOneBody ? [] : [bodyHash()])];
  const derived = (...position: readonly string[]): string => derivedUuid(...known(), ...position);
  return {
    mint: derived,
    mintsAnew: false,
    repeat: {
      get bodyHash() {
        return isOfOneBody ? bodyHash() : null;
      },
      met: (kept) => {
        if (isOfOneBody && kept !== null && kept !== bodyHash()) throw otherBody();
        noteRepeated(event);
      },
    },
    // Where there is no body an `X-Request-ID` alone, which some clients give all they do, says too little.
    recordOf: (onlyByKey) =>
      isOfOneBody || (body !== "" && !onlyByKey)
        ? {
            id: derived("record", JSON.stringify(path)),
            bodyHash: bodyHash(),
            secret: sealSecret(...known(), JSON.stringify(path)),
          }
        : null,
  };
};
