import { createHash } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { derivedUuid, randomId } from "../domain/access/identity.ts";
import { invalid } from "../domain/refusal.ts";
import { headerValues, requestIdOf } from "./event.ts";

const form = /^[\x21-\x7e]{1,255}$/;

const sentKey = (event: APIGatewayProxyEvent): string | null => {
  const [key, ...others] = headerValues(event, "Idempotency-Key");
  if (key !== undefined) {
    if (others.length > 0 || !form.test(key)) {
      throw invalid(
        ["header", "Idempotency-Key"],
        "Value should be 1 to 255 visible ASCII characters",
        "header_invalid",
      );
    }
    return `key:${key}`;
  }
  const requestId = headerValues(event, "X-Request-ID")[0];
  return requestId !== undefined && requestId === requestIdOf(event) ? `request:${requestId}` : null;
};

/** Ids for what a request makes. */
export interface Mint {
  /** An id for each position; the same when the request is repeated. */
  readonly mint: (position: string) => string;
  /** Nobody can know the ids: the request says nothing by which it could be repeated. */
  readonly mintsAnew: boolean;
}

/**
 * Ids for what a POST makes: the same for a repeated request (same project or user, route, `Idempotency-Key` or else
 * `X-Request-ID`, and body), so that a client that repeats itself makes the same things; random without such a key.
 *
 * @throws Refusal `invalid` when the `Idempotency-Key` is malformed.
 */
export const idMint = (event: APIGatewayProxyEvent, routeId: string, owner: string): Mint => {
  const key = sentKey(event);
  if (key === null) return { mint: () => randomId(), mintsAnew: true };
  // Taken now: the body is parsed in place later.
  const text = event.body ?? "";
  let hash: string | undefined;
  return {
    mint: (position) => {
      hash ??= createHash("sha256").update(text).digest("hex");
      return derivedUuid(owner, routeId, key, hash, position);
    },
    mintsAnew: false,
  };
};
