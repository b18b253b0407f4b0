import type { SessionSignal } from "../../domain/scores/score.ts";
import { signalNames, signalOf, type SignalName } from "../../domain/scores/signals.ts";
import type { Judge } from "../../judge/judge.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import type { Witness } from "../../store/traces/witness.ts";
import type { KnownSignals } from "../../store/scores/signals/signals.ts";
import { glance, withLarge } from "../../store/traces/large-documents.ts";
import type { StoredTrace, TraceReader } from "../../store/traces/reader.ts";
import { allEnded } from "../../async/all-ended.ts";
import { failedJudgement, judgementOf, usageOf } from "./settled-pairs.ts";
import type { TargetWork } from "./target-work.ts";
import { traceScorer } from "./trace-targets.ts";

/** Small documents kept: a trace's neighbours in its session are looked at together, by twenty lanes. */
const keptTraces = 32;

type Glance = NonNullable<Awaited<ReturnType<typeof glance>>>;

/** Reads traces of one project. */
interface RecentTraces {
  /** The ones looked at last are looked at once; null: a large one. */
  readonly glance: (trace: string) => Promise<Glance | null>;
  readonly get: (trace: string) => Promise<StoredTrace | null>;
}

export const recentTraces = (traces: Pick<TraceReader, "get" | "readSmall">, project: string): RecentTraces => {
  const seen = new Map<string, Promise<Glance | null>>();
  return {
    glance: (trace) => {
      const known = seen.get(trace);
      if (known !== undefined) return known;
      const looking = glance(traces, project, trace);
      seen.set(trace, looking);
      const [oldest] = seen.keys();
      if (seen.size > keptTraces && oldest !== undefined) seen.delete(oldest);
      return looking;
    },
    get: (trace) => traces.get(project, trace),
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
  readonly known: KnownSignals<SignalName>;
  readonly recent: RecentTraces;
  readonly judge: Judge;
  readonly now: () => number;
}

/** The signals of a trace; not complete: some could not be computed now. `gone`: it is no trace of the session any more. */
export type FoundSignals =
  | { readonly kind: "found"; readonly signals: readonly SessionSignal[]; readonly complete: boolean }
  | { readonly kind: "gone" };

const usable = (known: KnownSignals<SignalName>): readonly SessionSignal[] =>
  signalNames.flatMap((name) => known.get(name) ?? []);

/** Computes signals of a trace, given those before it that are looked at. */
const computeSignals = async (
  { work, unsettled, known, index, judge, now }: SignalRequest,
  needed: readonly SignalName[],
  stored: StoredTrace,
  before: readonly (StoredTrace | null)[],
): Promise<FoundSignals> => {
  const values = new Map(known);
  const targetJudge = judge.target({
    runId: work.order.id,
    projectId: work.order.projectId,
    trace: stored.trace,
    traceVersion: stored.row.version,
    model: work.order.resolvedModel,
    tier: work.order.tier,
    earlier: before.flatMap((one) => one?.trace ?? []),
    earlierOmitted: index - before.length,
  });
  const scored = traceScorer(work, stored, now);
  const keep = (name: SignalName, verdict: Exclude<Verdict, { kind: "deferred" }>): void => {
    const judgement =
      verdict.kind === "scored"
        ? judgementOf(verdict)
        : failedJudgement(`Signal computation failed: ${verdict.reason}`, { ...verdict.metadata, code: verdict.code });
    const judged = scored(name, judgement);
    values.set(name, signalOf(judged.score));
    work.settle({ kind: "signal", stored: judged, usage: usageOf(judgement.metadata) });
  };
  let complete = true;
  const compute = (name: SignalName): Promise<void> =>
    work.calls(async () => {
      const verdict = work.mayStart() ? await targetJudge.score(name, work.deadline, work.purse) : null;
      if (verdict !== null && verdict.kind !== "deferred") return keep(name, verdict);
      complete = false;
      if (verdict !== null) work.defer(unsettled, verdict);
    });
  await allEnded(needed.map(compute));
  return { kind: "found", signals: usable(values), complete };
};

/** Computes the signals of a trace that are not known, and has them stored as scores of the trace. */
export const sessionSignals = async (request: SignalRequest): Promise<FoundSignals> => {
  const { work, session, rows, index, known, recent } = request;
  const needed = signalNames.filter((name) => !known.has(name));
  if (needed.length === 0) return { kind: "found", signals: usable(known), complete: true };
  const before = needed.includes("loop_detection") ? rows.slice(Math.max(0, index - earlierTraces), index) : [];
  const ids = [...rows.slice(index, index + 1), ...before].map(({ traceId }) => traceId);
  const compute = async (found: readonly (StoredTrace | null)[]): Promise<FoundSignals> => {
    const [stored = null, ...earlier] = found.map((one) => (one?.row.sessionId === session ? one : null));
    return stored === null ? { kind: "gone" } : await computeSignals(request, needed, stored, earlier);
  };
  const seen = (await Promise.all(ids.map(recent.glance))).flatMap((one) => one ?? []);
  if (seen.length === ids.length) return await compute(seen.map(({ stored }) => stored));
  return await withLarge(async () =>
    work.mayStart()
      ? await compute(await Promise.all(ids.map(recent.get)))
      : { kind: "found", signals: usable(known), complete: false },
  );
};
