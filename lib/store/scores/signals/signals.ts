import * as v from "valibot";
import type { SessionSignal, TraceScore } from "../../../domain/scores/score.ts";
import { countingScore, giverOf, rankOfScore, type ScoreGiver } from "../../../domain/scores/precedence.ts";
import { modelOfJudge, signalOf } from "../../../domain/scores/signals.ts";
import { isUpToDate } from "../../../domain/scores/staleness.ts";
import type { Database } from "../../../dynamo/database.ts";
import { itemsOf, type ItemPage } from "../../../dynamo/items.ts";
import { unpackScore } from "../codec.ts";
import { copyPartition } from "../keys.ts";

/**
 * Signals (trace scores that session metrics use) of one trace by name: the newest usable score that counts, or null where the
 * metric is not applicable or the run failed to judge it.
 */
export type SignalsByName<Name extends string = string> = ReadonlyMap<Name, SessionSignal | null>;

/** A session run that reads signals (trace scores that session metrics use). */
interface SignalReader<Name extends string> {
  readonly projectId: string;
  /** Id of the run. Verdicts and failures of this run count, so that no judgement is paid twice. */
  readonly runId: string;
  /**
   * True if a verdict of a model (`<provider>/<model>`; null for a program) can replace a judgement by the run's own
   * model.
   */
  readonly acceptsModel: (signal: Name, model: string | null) => boolean;
}

/** A trace whose signals (scores that session metrics use) are read. */
interface SignalTrace {
  readonly traceId: string;
  readonly incarnation: string;
  readonly contentVersion: number;
}

/**
 * Result of a search for signals (trace scores that session metrics use); `isComplete` is false when only the newest
 * scores were read and did not include all signals.
 */
interface SignalSearch<Name extends string> {
  readonly signals: SignalsByName<Name>;
  readonly isComplete: boolean;
}

/** Reader of signals: trace scores that session metrics use instead of new judgements. */
export interface SignalScores {
  /**
   * Reads the signals of a trace from its scores, strongly consistent: of each name the newest success in [0, 1] for
   * the current version of the trace by an accepted model. Annotations by people count for any version.
   */
  of<Name extends string>(
    reader: SignalReader<Name>,
    trace: SignalTrace,
    names: readonly Name[],
  ): Promise<SignalsByName<Name>>;
  /** Reads the signals among the newest scores of the trace. @param maxScores max scores to read. */
  amongNewest<Name extends string>(
    reader: SignalReader<Name>,
    trace: SignalTrace,
    names: readonly Name[],
    maxScores: number,
  ): Promise<SignalSearch<Name>>;
}

const copy = v.object({ n: v.string(), st: v.string(), dt: v.string(), d: v.instance(Uint8Array) });

/** Scores read in the first page, and the factor by which each further page grows: mostly the newest scores suffice. */
const [firstPage, growth] = [25, 4];

/** True if a score can replace a judgement of the trace in its current version; the run's own scores always can. */
const isUsable = <Name extends string>(
  { source, trace_version: version, judge, eval_run_id: run }: TraceScore,
  name: Name,
  { runId, acceptsModel: takes }: SignalReader<Name>,
  trace: SignalTrace,
): boolean =>
  source === "ANNOTATION" ||
  run === runId ||
  (isUpToDate(version, trace) && takes(name, judge && modelOfJudge(judge.id)));

/** A usable score, and the signal that it is; null if its metric does not apply. */
interface UsableScore {
  readonly score: TraceScore;
  readonly signal: SessionSignal | null;
}

type UsableScores = Readonly<Record<ScoreGiver, UsableScore | null>>;

const noScores: UsableScores = { person: null, program: null };

export const signalScores = (database: Database): SignalScores => {
  const among = async <Name extends string>(
    reader: SignalReader<Name>,
    trace: SignalTrace,
    names: readonly Name[],
    maxScores: number,
  ): Promise<SignalSearch<Name>> => {
    const { projectId, runId } = reader;
    const openNames = new Map<string, Name>(names.map((name) => [name, name]));
    const usable = new Map<Name, UsableScores>();
    const failedNames = new Set<Name>();
    const addItem = (item: unknown): void => {
      const { n, st, dt, d } = v.parse(copy, item);
      const name = openNames.get(n);
      if (name === undefined) return;
      if (st === "SUCCESS" && dt !== "CATEGORICAL") {
        const score = unpackScore(d);
        const [newest, giver] = [usable.get(name) ?? noScores, giverOf(score.source)];
        if (newest[giver] !== null || !isUsable(score, name, reader, trace)) return;
        const signal = signalOf(score);
        if (signal === null && score.applicable !== false) return;
        usable.set(name, { ...newest, [giver]: { score, signal } });
        // An older score of a person can outrank a judge's.
        if (giver === "person") openNames.delete(n);
      } else if (st === "FAILED" && unpackScore(d).eval_run_id === runId) failedNames.add(name);
    };
    let [readCount, pageSize] = [0, firstPage];
    let start: ItemPage["next"];
    do {
      const { items, scanned, next }: ItemPage = await itemsOf(database, "scores").page({
        pk: copyPartition("trace", projectId, trace.traceId),
        filter: "i = :i",
        values: { ":i": trace.incarnation },
        descending: true,
        limit: Math.min(pageSize, maxScores - readCount),
        start,
      });
      for (const item of items) addItem(item);
      readCount += scanned;
      pageSize *= growth;
      start = next;
    } while (start !== undefined && openNames.size > 0 && readCount < maxScores);
    const signals = new Map<Name, SessionSignal | null>();
    for (const name of names) {
      const counting = countingScore(usable.get(name) ?? noScores, ({ score }) => rankOfScore(score));
      if (counting !== null || failedNames.has(name)) signals.set(name, counting?.signal ?? null);
    }
    return { signals, isComplete: start === undefined || names.every((name) => usable.has(name)) };
  };

  return {
    of: async (reader, trace, names) => (await among(reader, trace, names, Number.POSITIVE_INFINITY)).signals,
    amongNewest: among,
  };
};
