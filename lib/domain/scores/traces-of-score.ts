import { isObject, stringOrEmpty, type Json, type JsonObject } from "../json.ts";
import type { SessionScore } from "./score.ts";

const uuid = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gu;

/** Returns all ids that the content of a session score has: those of traces, and of anything else. */
export const idsIn = ({ reason, metadata, signals, original }: SessionScore): readonly string[] => [
  ...new Set(JSON.stringify([reason, metadata, signals, original]).match(uuid)),
];

/** True if a run's score of a long session rests on more traces than it lists. */
export const omitsTraces = ({ metadata }: SessionScore): boolean =>
  ["traces_left_out", "flagged_left_out", "left_out"].some((key) => Object.hasOwn(metadata, key));

const traceIdOf = (value: Json): string => stringOrEmpty(isObject(value) ? value["trace_id"] : value);

/**
 * Returns a session score without what a run stored in it about traces other than `traceIds`: their ids and risks, and the scores from
 * which it is computed. What a person or a program sent is theirs, and stays.
 */
export const withTracesOnly = (score: SessionScore, traceIds: ReadonlySet<string>): SessionScore => {
  if (score.eval_run_id === null) return score;
  const keptIn = (metadata: JsonObject): JsonObject => {
    const { per_trace_signals: risks, flagged_traces: flagged, traces } = metadata;
    const kept = (list: readonly Json[]): Json => list.filter((each) => traceIds.has(traceIdOf(each)));
    return {
      ...metadata,
      ...(isObject(risks) && {
        per_trace_signals: Object.fromEntries(Object.entries(risks).filter(([trace]) => traceIds.has(trace))),
      }),
      ...(Array.isArray(flagged) && { flagged_traces: kept(flagged) }),
      ...(Array.isArray(traces) && { traces: kept(traces) }),
    };
  };
  const keptOf = (text: string | null): string | null =>
    text?.replaceAll(uuid, (id) => (traceIds.has(id) ? id : "(another)")) ?? null;
  const { original } = score;
  return {
    ...score,
    reason: keptOf(score.reason),
    metadata: keptIn(score.metadata),
    signals: score.signals?.filter(({ trace_id: id }) => traceIds.has(id)) ?? null,
    original: original && {
      ...original,
      reason: keptOf(original.reason),
      metadata: original.metadata && keptIn(original.metadata),
    },
  };
};
