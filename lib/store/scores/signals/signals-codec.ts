import * as v from "valibot";
import { automatedScoreId } from "../../../domain/scores/automated-score.ts";
import { scoreSources, type SessionSignal } from "../../../domain/scores/score.ts";
import { modelOfJudge } from "../../../domain/scores/signals.ts";

const orNull = v.nullable(v.string());

/**
 * Schema of packed signals (trace scores that a session score was computed from). The origin of several signals is
 * stored once, and score ids that can be derived from the session's run are omitted.
 */
export const packedSignals = v.object({
  /** Origins: judge, prompt version and source. */
  b: v.array(v.looseTuple([orNull, orNull, v.picklist(scoreSources)])),
  /** Signals per trace: name, value, index in `b`, trace version, score id. */
  t: v.array(
    v.looseTuple([
      v.string(),
      v.array(v.looseTuple([v.string(), v.number(), v.number(), v.nullable(v.number()), orNull])),
    ]),
  ),
});

type PackedSignals = v.InferOutput<typeof packedSignals>;

/**
 * Packs signals: the trace scores that a session score was computed from.
 *
 * @param run id of the run that created the session's score.
 */
export const packSignals = (signals: readonly SessionSignal[], run: string | null): PackedSignals => {
  const [indexByBasis, b]: [Map<string, number>, PackedSignals["b"]] = [new Map(), []];
  const t = [...Map.groupBy(signals, ({ trace_id: trace }) => trace)].map(
    ([trace, traceSignals]): PackedSignals["t"][number] => [
      trace,
      traceSignals.map(
        ({ name, value, judge, prompt_version: prompt, source, trace_version: version, score_id: id }) => {
          const basis: PackedSignals["b"][number] = [judge, prompt, source];
          const key = JSON.stringify(basis);
          const index = indexByBasis.get(key) ?? b.push(basis) - 1;
          indexByBasis.set(key, index);
          const isDerivedId = run !== null && id === automatedScoreId(run, trace, name);
          return [name, value, index, version, isDerivedId ? null : id];
        },
      ),
    ],
  );
  return { b, t };
};

/**
 * Unpacks signals: the trace scores that a session score was computed from.
 *
 * @param run id of the run that created the session's score.
 */
export const unpackSignals = ({ b, t }: PackedSignals, run: string | null): SessionSignal[] =>
  t.flatMap(([trace_id, traceSignals]) =>
    traceSignals.flatMap(([name, value, index, trace_version, id]): SessionSignal[] => {
      const [judge, prompt_version, source] = b[index] ?? [null, null, null];
      const score_id = id ?? (run === null ? null : automatedScoreId(run, trace_id, name));
      if (source === null || score_id === null) return [];
      const model = judge === null ? null : modelOfJudge(judge);
      return [{ trace_id, trace_version, name, value, score_id, source, judge, model, prompt_version }];
    }),
  );
