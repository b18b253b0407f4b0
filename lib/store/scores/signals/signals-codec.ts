import * as v from "valibot";
import { automatedScoreId } from "../../../domain/scores/automated-score.ts";
import { scoreSources, type SessionSignal } from "../../../domain/scores/score.ts";
import { modelOfJudge } from "../../../domain/scores/signals.ts";

const orNull = v.nullable(v.string());

/** Signals as they are packed: whose scores they are is said once, and no id that follows from the session's run. */
export const packedSignals = v.object({
  /** Judge, prompt version and source. */
  b: v.array(v.looseTuple([orNull, orNull, v.picklist(scoreSources)])),
  /** For each trace its signals: name, value, place in `b`, version of the trace, the score's id. */
  t: v.array(
    v.looseTuple([
      v.string(),
      v.array(v.looseTuple([v.string(), v.number(), v.number(), v.nullable(v.number()), orNull])),
    ]),
  ),
});

type PackedSignals = v.InferOutput<typeof packedSignals>;

/** @param run that the session's score is of. */
export const packSignals = (signals: readonly SessionSignal[], run: string | null): PackedSignals => {
  const [places, b]: [Map<string, number>, PackedSignals["b"]] = [new Map(), []];
  const t = [...Map.groupBy(signals, ({ trace_id: trace }) => trace)].map(
    ([trace, own]): PackedSignals["t"][number] => [
      trace,
      own.map(({ name, value, judge, prompt_version: prompt, source, trace_version: version, score_id: id }) => {
        const basis: PackedSignals["b"][number] = [judge, prompt, source];
        const key = JSON.stringify(basis);
        const place = places.get(key) ?? b.push(basis) - 1;
        places.set(key, place);
        const isOwn = run !== null && id === automatedScoreId(run, trace, name);
        return [name, value, place, version, isOwn ? null : id];
      }),
    ],
  );
  return { b, t };
};

/** Reads packed signals. @param run that the session's score is of. */
export const unpackSignals = ({ b, t }: PackedSignals, run: string | null): SessionSignal[] =>
  t.flatMap(([trace_id, own]) =>
    own.flatMap(([name, value, place, trace_version, id]): SessionSignal[] => {
      const [judge, prompt_version, source] = b[place] ?? [null, null, null];
      const score_id = id ?? (run === null ? null : automatedScoreId(run, trace_id, name));
      if (source === null || score_id === null) return [];
      const model = judge === null ? null : modelOfJudge(judge);
      return [{ trace_id, trace_version, name, value, score_id, source, judge, model, prompt_version }];
    }),
  );
