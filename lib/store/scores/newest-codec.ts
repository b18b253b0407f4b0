import * as v from "valibot";
import type { NewestScore } from "../../domain/scores/newest-score.ts";
import { scoreDataTypes, scoreSources, type Score, type TraceScore } from "../../domain/scores/score.ts";
import { isStorable } from "../storable-number.ts";
import { idOfOrder, instantOfOrder, scoreOrder, type ScoreTarget } from "./keys.ts";
import { nameHash } from "./statistics-keys.ts";

/** What scores are of: a session, or one life of a trace. */
export interface ScoredLife {
  readonly project: string;
  readonly target: ScoreTarget;
  readonly id: string;
  /** Of the trace; null for a session. */
  readonly incarnation: string | null;
}

/** Partition of the newest scores of a trace, in all its lives, or of a session. */
export const newestPartition = ({ project, target, id }: Omit<ScoredLife, "incarnation">): string =>
  `${project}#newest-${target}#${id}`;

/** What the sort keys of the newest scores of one life begin with. */
export const newestPrefix = ({ incarnation }: Pick<ScoredLife, "incarnation">): string => `${incarnation ?? ""}#`;

/** The key of the newest score of a name. */
export const newestKey = (life: ScoredLife, name: string) => ({
  pk: newestPartition(life),
  sk: `${newestPrefix(life)}${nameHash(name)}`,
});

/** The number that ranges are asked of: none of what does not apply. */
const numberOf = ({ data_type, value, applicable }: Score): number | undefined =>
  data_type !== "NUMERIC" || value === null || applicable === false || !isStorable(Number(value))
    ? undefined
    : Number(value);

/** Key of the item that says of a life whether names are being brought in; it comes before all others. */
export const markKey = (life: ScoredLife) => ({ pk: newestPartition(life), sk: newestPrefix(life) });

/** The newest scores of a name. */
export interface Newest {
  readonly success: (Score & Partial<Pick<TraceScore, "trace_version">>) | null;
  /** A score that failed, where it is newer than any success. */
  readonly failure: Score | null;
}

const orderOf = ({ created_at, id }: Score): string => scoreOrder(created_at, id);

/** The newest scores of a name as attributes. `x`: a number, for ranges. */
export const packNewest = (name: string, { success, failure }: Newest) => ({
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
});

const scoreAt = (order: string) => ({ id: idOfOrder(order), created_at: instantOfOrder(order) });

/** Reads the newest scores of a name; null where it is only known that there is none. @throws when it says neither. */
export const unpackNewest = (value: Record<string, unknown>): NewestScore | null => {
  if (value["n"] === undefined) return null;
  const { n: name, f, o, u, val, x, dt, so, a, j, r, tv } = v.parse(item, value);
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
          },
    failure: f === undefined ? null : scoreAt(f),
  };
};
