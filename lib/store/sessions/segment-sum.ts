import * as v from "valibot";
import type { SessionSumState } from "../../domain/sessions/session.ts";

/** Maximum characters of a stored sum: with the tags of a thousand traces it could cost more than it saves. */
const maxCharacters = 16_000;

const text = v.nullable(v.string());

const packedTuple = v.tuple([
  v.number(),
  text,
  text,
  v.nullable(v.number()),
  v.boolean(),
  v.nullable(v.tuple([v.string(), v.string(), v.string()])),
  v.array(v.string()),
  v.number(),
  v.number(),
  v.tuple([v.number(), v.number()]),
  v.number(),
  v.number(),
  /** Absent in sums of earlier versions. */
  v.optional(v.boolean()),
]);

/** Encodes a segment's sum as text; null when it is too long, or has a number that JSON cannot represent. */
export const packSum = ({ user, hasFailedSpan, ...sum }: SessionSumState): string | null => {
  const { count, firstAt, lastAt, latency, hasError, tags, spans, tokens, cost, arrival, unpriced } = sum;
  if (![latency ?? 0, spans, tokens, unpriced, ...cost].every(Number.isFinite)) return null;
  const owner = user === null ? null : [user.id, user.startedAt, user.traceId];
  const numbers = [spans, tokens, cost, arrival, unpriced] as const;
  const text = JSON.stringify([count, firstAt, lastAt, latency, hasError, owner, tags, ...numbers, hasFailedSpan]);
  return text.length > maxCharacters ? null : text;
};

/** Decodes a segment's sum; null for one of an earlier version that does not say whether a span failed. */
export const unpackSum = (text: string): SessionSumState | null => {
  const packed = v.parse(packedTuple, JSON.parse(text));
  const [count, firstAt, lastAt, latency, hasError, owner, tags, spans, tokens, cost, arrival, unpriced] = packed;
  const hasFailedSpan = packed[12] ?? (hasError ? true : null);
  if (hasFailedSpan === null) return null;
  const user = owner === null ? null : { id: owner[0], startedAt: owner[1], traceId: owner[2] };
  return {
    count,
    firstAt,
    lastAt,
    latency,
    hasError,
    hasFailedSpan,
    user,
    tags,
    spans,
    tokens,
    cost,
    arrival,
    unpriced,
  };
};
