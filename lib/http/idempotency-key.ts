import { createHash } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { derivedUuid, randomId } from "../domain/access/identity.ts";
import { sealSecret } from "../domain/access/sealed-text.ts";
import { invalid } from "../domain/refusal.ts";
import { bodyMismatch, noIdempotency, type IdempotencyCheck } from "../domain/idempotency-check.ts";
import { headerValues, requestIdOf } from "./event.ts";

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
export interface ReplayRecord {
  readonly id: string;
  readonly bodyHash: string;
  /** Key that encrypts the stored answer. It is derived from the idempotency key, which is not stored. */
  readonly secret: Buffer;
}

/** Ids and checks that make a request idempotent. */
export interface RequestIds {
  /** Returns the id for a resource that the request creates; the same id for each repetition of the request. */
  readonly idFor: (position: string) => string;
  /** True if the request has no idempotency key, so that its ids are random and cannot exist yet. */
  readonly hasRandomIds: boolean;
  readonly idempotency: IdempotencyCheck;
  /**
   * Returns the record of the request; null if the request is not recorded.
   *
   * @param onlyByKey true if an `X-Request-ID` is not sufficient.
   */
  readonly replayRecord: (onlyByKey: boolean) => ReplayRecord | null;
}

const replayed = new WeakSet<APIGatewayProxyEvent>();

/** Marks a request that gets the answer of an earlier request. */
export const markReplayed = (event: APIGatewayProxyEvent): void => {
  replayed.add(event);
};

/** Returns the header `Idempotent-Replayed` for a request that gets the answer of an earlier request. */
export const replayHeaders = (event: APIGatewayProxyEvent): Record<string, string> =>
  replayed.has(event) ? { "Idempotent-Replayed": "true" } : {};

const randomIds: RequestIds = {
  idFor: () => randomId(),
  hasRandomIds: true,
  idempotency: noIdempotency,
  replayRecord: () => null,
};

/**
 * Derives the ids of resources that a POST creates from owner, route and `Idempotency-Key`, or else from `X-Request-ID` and
 * body, so that a repeated request creates the same resources. Without a key the ids are random.
 *
 * @param owner id of the project or user that scopes the key.
 * @throws Refusal `invalid` when the `Idempotency-Key` is malformed.
 */
export const requestIds = (event: APIGatewayProxyEvent, routeId: string, owner: string): RequestIds => {
  const key = idempotencyKey(event);
  if (key === null) return randomIds;
  const { text, isOfOneBody } = key;
  // Captured now, because the body parser replaces the body later.
  const [body, encoding] = [event.body ?? "", event.isBase64Encoded ? ("base64" as const) : ("utf8" as const)];
  const path = event.pathParameters ?? {};
  let hash: string | undefined;
  const bodyHash = (): string =>
    (hash ??= createHash("sha256").update(body, encoding).digest("base64url").slice(0, 22));
  const identity = (): readonly string[] => [owner, routeId, text, ...(isOfOneBody ? [] : [bodyHash()])];
  const derived = (...position: readonly string[]): string => derivedUuid(...identity(), ...position);
  return {
    idFor: derived,
    hasRandomIds: false,
    idempotency: {
      get bodyHash() {
        return isOfOneBody ? bodyHash() : null;
      },
      checkReplay: (storedHash) => {
        if (isOfOneBody && storedHash !== null && storedHash !== bodyHash()) throw bodyMismatch();
        markReplayed(event);
      },
    },
    // Without a body an `X-Request-ID` does not identify a request: some clients send the same id with every request.
    replayRecord: (onlyByKey) =>
      isOfOneBody || (body !== "" && !onlyByKey)
        ? {
            id: derived("record", JSON.stringify(path)),
            bodyHash: bodyHash(),
            secret: sealSecret(...identity(), JSON.stringify(path)),
          }
        : null,
  };
};
