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
]);

/** Encodes a segment's sum as text; null when it is too long, or has a number that JSON cannot represent. */
export const packSum = ({ user, ...sum }: SessionSumState): string | null => {
  const { count, firstAt, lastAt, latency, hasError, tags, spans, tokens, cost, arrival, unpriced } = sum;
  if (![latency ?? 0, spans, tokens, unpriced, ...cost].every(Number.isFinite)) return null;
  const owner = user === null ? null : [user.id, user.startedAt, user.traceId];
  const numbers = [spans, tokens, cost, arrival, unpriced] as const;
  const text = JSON.stringify([count, firstAt, lastAt, latency, hasError, owner, tags, ...numbers]);
  return text.length > maxCharacters ? null : text;
};

/** Decodes a segment's sum. */
export const unpackSum = (text: string): SessionSumState => {
  const [count, firstAt, lastAt, latency, hasError, owner, tags, spans, tokens, cost, arrival, unpriced] = v.parse(
    packedTuple,
    JSON.parse(text),
  );
  const user = owner === null ? null : { id: owner[0], startedAt: owner[1], traceId: owner[2] };
  return { count, firstAt, lastAt, latency, hasError, user, tags, spans, tokens, cost, arrival, unpriced };
};
