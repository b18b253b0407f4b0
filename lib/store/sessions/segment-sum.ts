import * as v from "valibot";
import type { SumState } from "../../domain/sessions/session.ts";

/** Tags of a thousand traces may be more than their rows are worth. */
const mostCharacters = 16_000;

const text = v.nullable(v.string());
/** What an earlier version has kept does not say which tokens no cost is known for. */
const former = v.strictTuple(Array.from({ length: 11 }, () => v.unknown()));

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
  v.number(),
]);

/** A segment's sum as text; null when it is too long, or has a number that text cannot hold. */
export const packSum = ({ user, ...sum }: SumState): string | null => {
  const { count, firstAt, lastAt, latency, hasError, tags, spans, tokens, cost, arrival, unpriced } = sum;
  if (![latency ?? 0, spans, tokens, unpriced, ...cost].every(Number.isFinite)) return null;
  const owner = user === null ? null : [user.id, user.startedAt, user.traceId];
  const numbers = [spans, tokens, cost, arrival, unpriced] as const;
  const written = JSON.stringify([count, firstAt, lastAt, latency, hasError, owner, tags, ...numbers]);
  return written.length > mostCharacters ? null : written;
};

/** @returns null when its rows have to be read. */
export const unpackSum = (written: string): SumState | null => {
  const fields = JSON.parse(written) as unknown;
  if (v.is(former, fields)) return null;
  const [count, firstAt, lastAt, latency, hasError, owner, tags, spans, tokens, cost, arrival, unpriced] = v.parse(
    packed,
    fields,
  );
  const user = owner === null ? null : { id: owner[0], startedAt: owner[1], traceId: owner[2] };
  return { count, firstAt, lastAt, latency, hasError, user, tags, spans, tokens, cost, arrival, unpriced };
};
