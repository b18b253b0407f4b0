import * as v from "valibot";
import type { SumState } from "../../domain/sessions/session.ts";

/** Tags of a thousand traces may be more than their rows are worth. */
const mostCharacters = 16_000;

const text = v.nullable(v.string());
const packed = v.tuple([
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
]);

/** A segment's sum as text; null when it is too long, or has a number that text cannot hold. */
export const packSum = ({ user, ...sum }: SumState): string | null => {
  const { count, firstAt, lastAt, latency, hasError, tags, spans, tokens, cost, arrival } = sum;
  if (![latency ?? 0, spans, tokens, ...cost].every(Number.isFinite)) return null;
  const owner = user === null ? null : [user.id, user.startedAt, user.traceId];
  const numbers = [spans, tokens, cost, arrival] as const;
  const written = JSON.stringify([count, firstAt, lastAt, latency, hasError, owner, tags, ...numbers]);
  return written.length > mostCharacters ? null : written;
};

export const unpackSum = (written: string): SumState => {
  const fields = v.parse(packed, JSON.parse(written));
  const [count, firstAt, lastAt, latency, hasError, owner, tags, spans, tokens, cost, arrival] = fields;
  const user = owner === null ? null : { id: owner[0], startedAt: owner[1], traceId: owner[2] };
  return { count, firstAt, lastAt, latency, hasError, user, tags, spans, tokens, cost, arrival };
};
