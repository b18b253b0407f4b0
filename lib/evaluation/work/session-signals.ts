import { signalNames, type SessionSignals, type SignalName } from "../../domain/scores/signals.ts";
import type { Judge } from "../../judge/judge.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import type { Witness } from "../../store/traces/witness.ts";
import type { KnownSignals } from "../../store/scores/signals.ts";
import type { StoredTrace, TraceReader } from "../../store/traces/reader.ts";
import { allEnded } from "../../async/all-ended.ts";
import { failedJudgement, judgementOf, usageOf } from "./settled-pairs.ts";
import type { TargetWork } from "./target-work.ts";
import { traceScorer } from "./trace-targets.ts";

/** Documents kept: a trace's neighbours in its session are looked at together. */
const keptTraces = 48;

/** Reads traces of one project, the ones read last but once. */
type RecentTraces = (trace: string) => Promise<StoredTrace | null>;

export const recentTraces = (traces: Pick<TraceReader, "get">, project: string): RecentTraces => {
  const read = new Map<string, Promise<StoredTrace | null>>();
  return (trace) => {
    const known = read.get(trace);
    if (known !== undefined) return known;
    const reading = traces.get(project, trace);
    read.set(trace, reading);
    const [oldest] = read.keys();
    if (read.size > keptTraces && oldest !== undefined) read.delete(oldest);
    return reading;
  };
};

/** Earlier traces that loop detection looks at. */
const earlierTraces = 3;

/** One trace of a session whose signals are wanted. */
export interface SignalRequest {
  readonly work: TargetWork;
  /** The session's unsettled pairs: they wait where a signal has to. */
  readonly unsettled: readonly number[];
  readonly session: string;
  /** All traces of the session, oldest first, and which of them it is. */
  readonly rows: readonly Witness[];
  readonly index: number;
  /** What need not be computed. */
  readonly known: KnownSignals;
  readonly recent: RecentTraces;
  readonly judge: Judge;
  readonly now: () => number;
}

/** The signals of a trace; not complete: some could not be computed now. `gone`: it is no trace of the session any more. */
export type FoundSignals =
  | { readonly kind: "found"; readonly signals: SessionSignals; readonly complete: boolean }
  | { readonly kind: "gone" };

const asSignals = (values: KnownSignals): SessionSignals =>
  Object.fromEntries([...values].flatMap(([name, value]) => (value === null ? [] : [[name, value]])));

/** Computes the signals of a trace that are not known, and has them stored as scores of the trace. */
export const sessionSignals = async (request: SignalRequest): Promise<FoundSignals> => {
  const { work, unsettled, session, rows, index, known, recent, judge, now } = request;
  const needed = signalNames.filter((name) => !known.has(name));
  const values = new Map(known);
  if (needed.length === 0) return { kind: "found", signals: asSignals(values), complete: true };
  const ofSession = async (row: Witness | undefined): Promise<StoredTrace | null> => {
    const stored = row === undefined ? null : await recent(row.traceId);
    return stored?.row.sessionId === session ? stored : null;
  };
  const stored = await ofSession(rows[index]);
  if (stored === null) return { kind: "gone" };
  const before = rows.slice(Math.max(0, index - earlierTraces), index);
  const earlier = needed.includes("loop_detection") ? await Promise.all(before.map(ofSession)) : [];
  const there = earlier.flatMap((one) => one?.trace ?? []);
  const targetJudge = judge.target({
    runId: work.order.id,
    trace: stored.trace,
    traceVersion: stored.row.version,
    model: work.order.resolvedModel,
    earlier: there,
    earlierOmitted: index - before.length,
  });
  const scored = traceScorer(work, stored, now);
  const keep = (name: SignalName, verdict: Exclude<Verdict, { kind: "deferred" }>): void => {
    const judgement =
      verdict.kind === "scored"
        ? judgementOf(verdict)
        : failedJudgement(`Signal computation failed: ${verdict.reason}`, { ...verdict.metadata, code: verdict.code });
    values.set(name, judgement.value);
    work.settle({ kind: "signal", stored: scored(name, judgement), usage: usageOf(judgement.metadata) });
  };
  let complete = true;
  const compute = (name: SignalName): Promise<void> =>
    work.calls(async () => {
      const may = work.mayStart();
      if (may) work.started();
      const verdict = may ? await targetJudge.score(name, work.deadline) : null;
      if (verdict !== null && verdict.kind !== "deferred") return keep(name, verdict);
      complete = false;
      if (verdict !== null) work.defer(unsettled, verdict);
    });
  await allEnded(needed.map(compute));
  return { kind: "found", signals: asSignals(values), complete };
};
