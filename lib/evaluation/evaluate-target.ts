import { automatedScore, type Judgement } from "../domain/automated-score.ts";
import { instantAt } from "../domain/instant.ts";
import { isSettled } from "../domain/pair-bits.ts";
import type { RunOrder } from "../domain/run.ts";
import type { Slice } from "../domain/slice.ts";
import type { Judge } from "../judge/judge.ts";
import type { Verdict } from "../judge/verdict.ts";
import type { SettledPair } from "../store/settlement.ts";
import type { StoredTrace, TraceReader } from "../store/trace-reader.ts";
import type { Semaphore } from "./semaphore.ts";

/** A pair a provider could not judge now. */
export type Deferred = Extract<Verdict, { kind: "deferred" }>;

/** One target's share of the work on a slice. */
export interface TargetWork {
  readonly order: RunOrder;
  readonly slice: Slice;
  /** Position in the slice. */
  readonly target: number;
  /** Judge calls are made through it. */
  readonly calls: Semaphore;
  /** Epoch milliseconds by which every call must have ended. */
  readonly deadline: number;
  /** Whether one more pair may be started. */
  readonly mayStart: () => boolean;
  readonly settle: (pair: SettledPair) => void;
  readonly defer: (pair: number, verdict: Deferred, trace: StoredTrace) => void;
}

/** A pair that was judged, for better or worse, as it is committed. */
export const judgedPair = (
  { order, slice, target }: Pick<TargetWork, "order" | "slice" | "target">,
  pair: number,
  stored: StoredTrace,
  judgement: Judgement,
  now: number,
): SettledPair => {
  const metric = order.metrics[pair - target * order.metrics.length] ?? "";
  const ids = { projectId: order.projectId, runId: order.id, traceId: slice.targets[target] ?? "", metric };
  const failed = judgement.value === null;
  return {
    pair,
    failed,
    missing: false,
    score: automatedScore(ids, judgement, stored.trace.environment, instantAt(now)),
    target: { startedAt: stored.row.startedAt, incarnation: stored.row.incarnation, expiresAt: stored.expiresAt },
    example: failed ? judgement.reason : null,
  };
};

/** A pair that gets no score. */
export const unscoredPair = (pair: number, missing: boolean, example: string | null): SettledPair => ({
  pair,
  failed: true,
  missing,
  score: null,
  target: null,
  example,
});

/** The pairs of a target that nobody has settled yet. */
export const openPairs = ({ order, slice, target }: Pick<TargetWork, "order" | "slice" | "target">): number[] =>
  Array.from(order.metrics.keys(), (metric) => target * order.metrics.length + metric).filter(
    (pair) => !isSettled(slice.bits, pair),
  );

/** Judges what is open of a target; its first call runs alone, so that the others find the provider's prompt cache warm. */
export const evaluateTarget = async (
  work: TargetWork,
  judge: Judge,
  traces: TraceReader,
  now: () => number,
): Promise<void> => {
  const [first, ...others] = openPairs(work);
  if (first === undefined || !work.mayStart()) return;
  const { order, slice, target } = work;
  const stored = await traces.get(order.projectId, slice.targets[target] ?? "");
  if (stored === null) {
    for (const pair of [first, ...others]) work.settle(unscoredPair(pair, true, null));
    return;
  }
  const { trace, row } = stored;
  const judging = judge.target({ runId: order.id, trace, traceVersion: row.version, model: order.resolvedModel });
  const score = (pair: number): Promise<void> =>
    work.calls(async () => {
      if (!work.mayStart()) return;
      const verdict = await judging.score(order.metrics[pair - target * order.metrics.length] ?? "", work.deadline);
      if (verdict.kind === "deferred") work.defer(pair, verdict, stored);
      else {
        const judgement: Judgement = {
          value: verdict.kind === "scored" ? verdict.value : null,
          reason: verdict.reason,
          metadata: verdict.kind === "scored" ? verdict.metadata : { ...verdict.metadata, code: verdict.code },
        };
        work.settle(judgedPair(work, pair, stored, judgement, now()));
      }
    });
  await score(first);
  await Promise.all(others.map(score));
};
