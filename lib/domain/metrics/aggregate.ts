import { isObject, toDouble, type Json, type JsonObject } from "../json.ts";

/** Functions that aggregate the scores of a session's traces. */
const aggregations = ["min", "mean", "share_at_least", "share_below"] as const;

/** Fields of an aggregation with the bound of a share, by aggregation. */
const boundFields = { share_at_least: "at_least", share_below: "below" } as const;

/** An aggregate metric: the score of a session, computed from the scores of its traces without a judge. */
export interface Aggregate {
  /** Name of the aggregated trace scores. */
  readonly over: string;
  readonly by: (typeof aggregations)[number];
  /** Threshold of `share_below`; null for the other functions. */
  readonly below: number | null;
  /** Threshold of `share_at_least`; absent for the other functions. */
  readonly at_least?: number;
}

/** Returns the lowest score that counts for a share; null for the other functions. */
export const shareBound = ({ below, at_least: atLeast }: Aggregate): number | null => atLeast ?? below;

/** Result of an aggregate metric; `value` is null if no trace of the session has a usable score. */
export interface AggregateResult {
  readonly value: number | null;
  readonly reason: string;
  readonly details: JsonObject;
}

/** Maximum characters of a score's name, and maximum number of traces in the details. */
const [maxNameLength, maxListedTraces] = [255, 20] as const;

type ReportProblem = (path: readonly (string | number)[], msg: string) => void;

const isAggregation = (input: Json | undefined): input is Aggregate["by"] =>
  aggregations.some((each) => each === input);

/**
 * Parses and validates an aggregate metric.
 *
 * @param report receives every error.
 * @returns null if there is an error.
 */
export const readAggregate = (input: Json | undefined, report: ReportProblem): Aggregate | null => {
  if (!isObject(input)) {
    report([], "Input should be a valid dictionary");
    return null;
  }
  const allowedFields = ["over", "by", ...Object.values(boundFields)];
  const flaws: (readonly [string, string])[] = Object.keys(input)
    .filter((key) => !allowedFields.includes(key))
    .map((key) => [key, `Unknown field. Allowed fields: ${allowedFields.join(", ")}`]);
  const { over, by } = input;
  const isOver = typeof over === "string" && over !== "" && over.length <= maxNameLength;
  if (!isOver)
    flaws.push(["over", `Input should be the name of a trace score with at most ${maxNameLength} characters`]);
  if (!isAggregation(by)) flaws.push(["by", `Input should be one of ${aggregations.join(", ")}`]);
  const bounds: { below?: number; at_least?: number } = {};
  for (const share of ["share_at_least", "share_below"] as const) {
    const field = boundFields[share];
    const bound = toDouble(input[field] ?? null);
    const isShare = typeof bound === "number" && bound >= 0 && bound <= 1;
    if (by === share && isShare) bounds[field] = bound;
    if (by === share && !isShare) flaws.push([field, "Input should be a number from 0 to 1"]);
    if (by !== share && bound !== null) flaws.push([field, `Only ${share} has this threshold`]);
  }
  for (const [key, msg] of flaws) report([key], msg);
  if (flaws.length > 0 || !isOver || !isAggregation(by)) return null;
  return { over, by, below: null, ...bounds };
};

/** The trace scores of a session that an aggregate metric is computed from. */
export interface AggregatedScores {
  /**
   * Score by trace id, oldest trace first; only the newest traces of a long session. Null for a trace without a
   * usable score.
   */
  readonly scores: ReadonlyMap<string, number | null>;
  /** Number of traces in the session. */
  readonly inSession: number;
  /** Number of traces of which only the newest scores were read, and none of these was usable. */
  readonly partlyRead: number;
}

/** Mean of values with up to four decimals, free of rounding errors. */
const mean = (values: readonly number[]): number => {
  const sum = values.reduce((total, value) => total + Math.round(value * 10_000), 0);
  return sum / (values.length * 10_000);
};

/**
 * Computes an aggregate metric of a session. Higher is better: `share_below`, the older name of `share_at_least`,
 * returns the share of scores that are not below its threshold, too.
 */
export const aggregate = (
  definition: Aggregate,
  { scores, inSession, partlyRead }: AggregatedScores,
): AggregateResult => {
  const { over, by, below, at_least: atLeast } = definition;
  const scoredTraces = [...scores].flatMap(([trace, value]) => (value === null ? [] : [{ trace, value }]));
  const omittedCount = inSession - scores.size;
  const counts: JsonObject = {
    traces_in_session: inSession,
    ...(omittedCount > 0 && { traces_left_out: omittedCount }),
    ...(partlyRead > 0 && { traces_partly_read: partlyRead }),
    traces_scored: scoredTraces.length,
  };
  const fold: Partial<Aggregate> = {
    over,
    by,
    ...(below !== null && { below }),
    ...(atLeast !== undefined && { at_least: atLeast }),
  };
  const partialNote = partlyRead > 0 ? ` Of ${partlyRead} of them only the newest scores were looked at.` : "";
  if (scoredTraces.length === 0) {
    const traceSet = omittedCount > 0 ? `newest ${scores.size} of ${inSession} traces` : "traces";
    const reason =
      inSession === 0
        ? "The session has no traces."
        : `None of the session's ${traceSet} has a usable score of ${over}.`;
    return { value: null, reason: reason + partialNote, details: { fold, ...counts } };
  }
  const values = scoredTraces.map(({ value }) => value);
  const ascending = scoredTraces.toSorted((a, b) => a.value - b.value);
  const traceSetText = omittedCount > 0 ? `the newest ${scores.size} of ${inSession} traces` : `${scores.size} traces`;
  const coverage = `${scoredTraces.length} of ${traceSetText} ${scoredTraces.length === 1 ? "has" : "have"} a score of ${over}`;
  const resultOf = (
    value: number,
    clause: string,
    reportedTraces: readonly (typeof scoredTraces)[number][],
  ): AggregateResult => ({
    value,
    reason: `${coverage}; ${clause}.${partialNote}`,
    details: {
      fold,
      ...counts,
      traces: reportedTraces
        .slice(0, maxListedTraces)
        .map(({ trace, value: score }) => ({ trace_id: trace, value: score })),
      ...(reportedTraces.length > maxListedTraces && { left_out: reportedTraces.length - maxListedTraces }),
    },
  });
  switch (by) {
    case "min": {
      const lowest = ascending[0]?.value ?? 0;
      const ofLowest = ascending.filter(({ value }) => value === lowest);
      return resultOf(lowest, `the lowest is ${lowest}, of trace ${ofLowest[0]?.trace}`, ofLowest);
    }
    case "mean":
      return resultOf(mean(values), "the score is their mean", ascending);
    case "share_at_least":
    case "share_below": {
      const bound = shareBound(definition) ?? 0;
      const tracesBelow = ascending.filter(({ value }) => value < bound);
      const share = 1 - tracesBelow.length / scoredTraces.length;
      return resultOf(
        share,
        `${tracesBelow.length} of them ${tracesBelow.length === 1 ? "is" : "are"} below ${bound}`,
        tracesBelow,
      );
    }
    default:
      return by satisfies never;
  }
};
