import type { SessionSignal } from "../../domain/scores/score.ts";
import { isSignalName, signalNames, signalOf, type SignalName } from "../../domain/scores/signals.ts";
import type { Judge } from "../../judge/judge.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import type { IncarnationCheck } from "../../store/traces/incarnation-check.ts";
import type { SignalsByName } from "../../store/scores/signals/signals.ts";
import type { Settled } from "../../store/runs/settled-pairs.ts";
import { readIfSmall, withLargeDocument } from "../../store/traces/large-documents.ts";
import type { StoredTrace, TraceReader } from "../../store/traces/reader.ts";
import { awaitAll } from "../../async/concurrency.ts";
import { failedJudgement, judgementOf, usageOf } from "./settled-pairs.ts";
import { judgeMetrics, type TargetWork } from "./target-work.ts";
import { traceScorer } from "./trace-targets.ts";

/** Small documents in the cache: loop detection reads the neighbours of a trace, and 20 traces are in work concurrently. */
const maxCachedDocuments = 32;

type SmallDocument = NonNullable<Awaited<ReturnType<typeof readIfSmall>>>;

/** Reads traces of one project and caches the most recent small documents. */
interface TraceCache {
  /** Reads a trace with a small document, cached; null if the document is large. */
  readonly readIfSmall: (trace: string) => Promise<SmallDocument | null>;
  readonly get: (trace: string) => Promise<StoredTrace | null>;
}

export const createTraceCache = (traces: Pick<TraceReader, "get" | "readSmall">, project: string): TraceCache => {
  const cache = new Map<string, Promise<SmallDocument | null>>();
  return {
    readIfSmall: (trace) => {
      const cached = cache.get(trace);
      if (cached !== undefined) return cached;
      const document = readIfSmall(traces, project, trace);
      cache.set(trace, document);
      const [oldest] = cache.keys();
      if (cache.size > maxCachedDocuments && oldest !== undefined) cache.delete(oldest);
      return document;
    },
    get: (trace) => traces.get(project, trace),
  };
};

/** Earlier traces of the session that loop detection compares. */
const earlierTraceCount = 3;

/** Input for the signals of one trace of a session. */
export interface SignalRequest {
  readonly work: TargetWork;
  /** Unsettled pairs of the session: they are deferred together with a signal. */
  readonly unsettled: readonly number[];
  readonly session: string;
  /** All traces of the session, oldest first. */
  readonly rows: readonly IncarnationCheck[];
  /** Position of the trace in `rows`. */
  readonly index: number;
  /** Stored signals of the trace, which are reused. */
  readonly existingSignals: SignalsByName<SignalName>;
  readonly traceCache: TraceCache;
  readonly judge: Judge;
  readonly now: () => number;
}

/** Signals of one trace. Not `complete`: some could not be computed now. `gone`: the trace was deleted or left the session. */
export type ComputedSignals =
  | { readonly kind: "computed"; readonly signals: readonly SessionSignal[]; readonly complete: boolean }
  | { readonly kind: "gone" };

const inSignalOrder = (signals: SignalsByName<SignalName>): readonly SessionSignal[] =>
  signalNames.flatMap((name) => signals.get(name) ?? []);

/** Computes the missing signals of a trace. @param previousTraces earlier traces of the session, for loop detection. */
const computeSignals = async (
  { work, unsettled, existingSignals, index, judge, now }: SignalRequest,
  missingNames: readonly SignalName[],
  stored: StoredTrace,
  previousTraces: readonly (StoredTrace | null)[],
): Promise<ComputedSignals> => {
  const values = new Map(existingSignals);
  const targetJudge = judge.target({
    runId: work.order.id,
    projectId: work.order.projectId,
    trace: stored.trace,
    traceVersion: stored.row.version,
    model: work.order.resolvedModel,
    tier: work.order.tier,
    earlierTraces: previousTraces.flatMap((trace) => trace?.trace ?? []),
    omittedTraceCount: index - previousTraces.length,
  });
  const scorer = traceScorer(work, stored, now);
  const signalOutcome = (name: SignalName, verdict: Exclude<Verdict, { kind: "deferred" }>): Settled => {
    const judgement =
      verdict.kind === "scored"
        ? judgementOf(verdict)
        : failedJudgement(`Signal computation failed: ${verdict.reason}`, { ...verdict.metadata, code: verdict.code });
    const judged = scorer(name, judgement);
    values.set(name, signalOf(judged.score));
    return { kind: "signal", checkedScore: judged, usage: usageOf(judgement.metadata) };
  };
  let complete = true;
  const compute = (names: readonly string[]): Promise<void> =>
    work.calls(async () => {
      const verdicts = work.canStart() ? await judgeMetrics(work, names, targetJudge) : [];
      const outcomes = names.flatMap((name, index) => {
        const verdict = verdicts[index];
        return verdict === undefined || verdict.kind === "deferred" || !isSignalName(name)
          ? []
          : [signalOutcome(name, verdict)];
      });
      if (outcomes.length > 0) work.settle(...outcomes);
      if (outcomes.length < names.length) complete = false;
      const deferred = verdicts.find((verdict) => verdict.kind === "deferred");
      if (deferred !== undefined) work.defer(unsettled, deferred);
    });
  const groups = (await targetJudge.shared?.groupsOf(missingNames)) ?? missingNames.map((name) => [name]);
  await awaitAll(groups.map(compute));
  return { kind: "computed", signals: inSignalOrder(values), complete };
};

/** Computes the missing signals of a trace and settles them as scores of the trace. */
export const sessionSignals = async (request: SignalRequest): Promise<ComputedSignals> => {
  const { work, session, rows, index, existingSignals, traceCache } = request;
  const missingNames = signalNames.filter((name) => !existingSignals.has(name));
  if (missingNames.length === 0) return { kind: "computed", signals: inSignalOrder(existingSignals), complete: true };
  const previousTraces = missingNames.includes("loop_detection")
    ? rows.slice(Math.max(0, index - earlierTraceCount), index)
    : [];
  const ids = [...rows.slice(index, index + 1), ...previousTraces].map(({ traceId }) => traceId);
  const compute = async (documents: readonly (StoredTrace | null)[]): Promise<ComputedSignals> => {
    const [current = null, ...previous] = documents.map((trace) => (trace?.row.sessionId === session ? trace : null));
    return current === null ? { kind: "gone" } : await computeSignals(request, missingNames, current, previous);
  };
  const smallDocuments = (await Promise.all(ids.map(traceCache.readIfSmall))).flatMap((document) => document ?? []);
  if (smallDocuments.length === ids.length) return await compute(smallDocuments.map(({ stored }) => stored));
  return await withLargeDocument(async () =>
    work.canStart()
      ? await compute(await Promise.all(ids.map(traceCache.get)))
      : { kind: "computed", signals: inSignalOrder(existingSignals), complete: false },
  );
};
