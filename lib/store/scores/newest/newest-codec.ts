import * as v from "valibot";
import { toDouble } from "../../../domain/json.ts";
import type { NewestScore } from "../../../domain/scores/newest-score.ts";
import { scoreNumber } from "../../../domain/scores/number.ts";
import { countingScore, giverOf, rankedVersion, type ScoreGiver } from "../../../domain/scores/precedence.ts";
import { passes } from "../../../domain/scores/unit.ts";
import { scoreDataTypes, scoreSources, type Score, type TraceScore } from "../../../domain/scores/score.ts";
import { isStorable } from "../../../dynamo/storable-number.ts";
import { idOfOrder, instantOfOrder, scoreOrder, type ScoreTarget } from "../keys.ts";
import { nameHash } from "../statistics-keys.ts";

/** Identity of scored objects: a session, or one incarnation of a trace. */
export interface ScoredIncarnation {
  readonly project: string;
  readonly target: ScoreTarget;
  readonly id: string;
  /** Incarnation of the trace; null for a session. */
  readonly incarnation: string | null;
}

/** Partition of the newest scores of a trace, in all its incarnations, or of a session. */
export const newestPartition = ({ project, target, id }: Omit<ScoredIncarnation, "incarnation">): string =>
  `${project}#newest-${target}#${id}`;

/** Prefix of the sort keys of the newest scores of one incarnation. */
export const newestPrefix = ({ incarnation }: Pick<ScoredIncarnation, "incarnation">): string =>
  `${incarnation ?? ""}#`;

/** Key of the newest score of a name. */
export const newestKey = (target: ScoredIncarnation, name: string) => ({
  pk: newestPartition(target),
  sk: `${newestPrefix(target)}${nameHash(name)}`,
});

/** Returns the number that range filters compare; undefined for scores without one that can be stored. */
const numberOf = (score: Score): number | undefined => {
  const number = scoreNumber(score);
  return number === null || !isStorable(number) ? undefined : number;
};

/** Returns the version of the custom metric that gave a score; undefined for other scores. */
export const metricVersionOf = ({ metadata: { metric_version: version } }: Score): number | undefined => {
  const number = toDouble(version ?? null);
  return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined;
};

type SucceededScore = Score & Partial<Pick<TraceScore, "trace_version" | "content_version">>;

/** The newest successful score of a name by a person and by a judge or program, and the newest failed one. */
export interface NewestByOutcome extends Readonly<Record<ScoreGiver, SucceededScore | null>> {
  /** A failed score that is newer than any success. */
  readonly failure: Score | null;
}

const orderOf = ({ created_at, id }: Score): string => scoreOrder(created_at, id);

/** Returns the newest successful scores of a name, at most one of each giver, newest first. */
export const successesOf = ({ person, program }: NewestByOutcome): readonly SucceededScore[] =>
  [person, program].flatMap((score) => score ?? []).toSorted((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));

const packSuccess = (score: SucceededScore): v.InferInput<typeof success> => ({
  o: orderOf(score),
  u: score.updated_at,
  val: score.value ?? undefined,
  x: numberOf(score),
  dt: score.data_type,
  so: score.source,
  a: score.applicable ?? undefined,
  ic: score.inapplicable_code ?? undefined,
  j: score.judge?.id,
  r: score.eval_run_id ?? undefined,
  tv: score.trace_version ?? undefined,
  cv: score.content_version ?? undefined,
  mv: metricVersionOf(score),
  ps: passes(score) ?? undefined,
});

/**
 * Packs the newest scores of a name as attributes; `x` is a number for range filters. The newest success has attributes of
 * its own, as in items of versions that know only this one; that of the other giver is in `b`.
 */
export const packNewest = (name: string, newest: NewestByOutcome): v.InferInput<typeof item> => {
  const [latest, other] = successesOf(newest);
  return {
    n: name,
    ...(newest.failure !== null && { f: orderOf(newest.failure) }),
    ...(latest !== undefined && packSuccess(latest)),
    ...(other !== undefined && { b: packSuccess(other) }),
  };
};

const success = v.object({
  o: v.string(),
  u: v.string(),
  val: v.optional(v.string()),
  x: v.optional(v.number()),
  dt: v.picklist(scoreDataTypes),
  so: v.picklist(scoreSources),
  a: v.optional(v.boolean()),
  /** Code of why the metric does not apply; absent in items of earlier versions. */
  ic: v.optional(v.string()),
  j: v.optional(v.string()),
  r: v.optional(v.string()),
  tv: v.optional(v.number()),
  cv: v.optional(v.number()),
  mv: v.optional(v.number()),
  /** True if the score reaches the threshold of its metric; absent without one, and in items of earlier versions. */
  ps: v.optional(v.boolean()),
});

type PackedSuccess = v.InferOutput<typeof success>;

const item = v.object({
  n: v.string(),
  f: v.optional(v.string()),
  ...v.partial(success).entries,
  /** The newest success of the other giver; absent in items of earlier versions. */
  b: v.optional(success),
});

/** Returns the packed success of each giver; null for none. */
const successesByGiver = (value: Record<string, unknown>): Record<ScoreGiver, PackedSuccess | null> => {
  const successes: Record<ScoreGiver, PackedSuccess | null> = { person: null, program: null };
  for (const each of [value, value["b"]]) {
    const parsed = v.safeParse(success, each);
    if (parsed.success) successes[giverOf(parsed.output.so)] ??= parsed.output;
  }
  return successes;
};

/** Sort keys of the newest scores that a name's item has. */
export type RecordedOrders = Readonly<Record<keyof NewestByOutcome, string | undefined>>;

/** Returns the sort keys of the newest scores in an item. */
export const recordedOrders = (value: Record<string, unknown>): RecordedOrders => {
  const { person, program } = successesByGiver(value);
  return { person: person?.o, program: program?.o, failure: v.parse(v.optional(v.string()), value["f"]) };
};

const scoreAt = (order: string) => ({ id: idOfOrder(order), created_at: instantOfOrder(order) });

const unpackSuccess = ({ o, u, val, x, dt, so, a, ic, j, r, tv, mv, ps }: PackedSuccess): NewestScore["score"] => ({
  ...scoreAt(o),
  updated_at: u,
  value: val ?? null,
  number: x ?? null,
  data_type: dt,
  source: so,
  applicable: a ?? null,
  inapplicable_code: ic ?? null,
  judge: j ?? null,
  eval_run_id: r ?? null,
  trace_version: tv ?? null,
  metric_version: mv ?? null,
  passed: ps ?? (dt === "BOOLEAN" ? val === "true" : null),
});

const rankOf = ({ o, so, tv, cv }: PackedSuccess) => ({
  order: o,
  version: rankedVersion({ source: so, trace_version: tv ?? null, content_version: cv ?? null }),
});

/**
 * Unpacks the newest scores of a name; null when the item says that there are none.
 *
 * @param giver giver whose newest success is returned; that of both that counts if absent.
 * @throws ValiError for other items.
 */
export const unpackNewest = (value: Record<string, unknown>, giver?: ScoreGiver): NewestScore | null => {
  if (value["n"] === undefined) return null;
  const { n: name, f } = v.parse(item, value);
  const successes = successesByGiver(value);
  const counting = giver === undefined ? countingScore(successes, rankOf) : successes[giver];
  return {
    name,
    score: counting === null ? null : unpackSuccess(counting),
    failure: f === undefined ? null : scoreAt(f),
  };
};
