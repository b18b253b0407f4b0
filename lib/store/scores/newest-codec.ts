import * as v from "valibot";
import { toDouble } from "../../domain/json.ts";
import type { NewestScore } from "../../domain/scores/newest-score.ts";
import { scoreDataTypes, scoreSources, type Score, type TraceScore } from "../../domain/scores/score.ts";
import { isStorable } from "../../dynamo/storable-number.ts";
import { idOfOrder, instantOfOrder, scoreOrder, type ScoreTarget } from "./keys.ts";
import { nameHash } from "./statistics-keys.ts";

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

/** Returns the number that range filters compare; undefined for scores that are not numeric or not applicable. */
const numberOf = ({ data_type, value, applicable }: Score): number | undefined =>
  data_type !== "NUMERIC" || value === null || applicable === false || !isStorable(Number(value))
    ? undefined
    : Number(value);

/** Returns the version of the custom metric that gave a score; undefined for other scores. */
const metricVersionOf = ({ metadata: { metric_version: version } }: Score): number | undefined => {
  const number = toDouble(version ?? null);
  return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined;
};

/** The newest successful and the newest failed score of a name. */
export interface NewestByOutcome {
  readonly success: (Score & Partial<Pick<TraceScore, "trace_version">>) | null;
  /** A failed score that is newer than any success. */
  readonly failure: Score | null;
}

const orderOf = ({ created_at, id }: Score): string => scoreOrder(created_at, id);

/** Packs the newest scores of a name as attributes; `x` is a number for range filters. */
export const packNewest = (name: string, { success, failure }: NewestByOutcome): v.InferInput<typeof item> => ({
  n: name,
  ...(failure !== null && { f: orderOf(failure) }),
  ...(success !== null && {
    o: orderOf(success),
    u: success.updated_at,
    val: success.value ?? undefined,
    x: numberOf(success),
    dt: success.data_type,
    so: success.source,
    a: success.applicable ?? undefined,
    j: success.judge?.id,
    r: success.eval_run_id ?? undefined,
    tv: success.trace_version ?? undefined,
    mv: metricVersionOf(success),
  }),
});

const item = v.object({
  n: v.string(),
  f: v.optional(v.string()),
  o: v.optional(v.string()),
  u: v.optional(v.string()),
  val: v.optional(v.string()),
  x: v.optional(v.number()),
  dt: v.optional(v.picklist(scoreDataTypes)),
  so: v.optional(v.picklist(scoreSources)),
  a: v.optional(v.boolean()),
  j: v.optional(v.string()),
  r: v.optional(v.string()),
  tv: v.optional(v.number()),
  mv: v.optional(v.number()),
});

const scoreAt = (order: string) => ({ id: idOfOrder(order), created_at: instantOfOrder(order) });

/**
 * Unpacks the newest scores of a name; null when the item says that there are none.
 *
 * @throws ValiError for other items.
 */
export const unpackNewest = (value: Record<string, unknown>): NewestScore | null => {
  if (value["n"] === undefined) return null;
  const { n: name, f, o, u, val, x, dt, so, a, j, r, tv, mv } = v.parse(item, value);
  return {
    name,
    score:
      o === undefined || u === undefined || dt === undefined || so === undefined
        ? null
        : {
            ...scoreAt(o),
            updated_at: u,
            value: val ?? null,
            number: x ?? null,
            data_type: dt,
            source: so,
            applicable: a ?? null,
            judge: j ?? null,
            eval_run_id: r ?? null,
            trace_version: tv ?? null,
            metric_version: mv ?? null,
          },
    failure: f === undefined ? null : scoreAt(f),
  };
};
