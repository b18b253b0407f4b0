import { isSettled } from "../../domain/runs/pair-bits.ts";
import type { RunOrder, TargetType } from "../../domain/runs/run.ts";
import type { Slice } from "../../domain/runs/slice.ts";
import type { Purse } from "../../judge/spending/purse.ts";
import type { Verdict } from "../../judge/verdict/verdict.ts";
import type { Settled, WitnessedScore } from "../../store/runs/settled.ts";
import type { Judgement } from "../../domain/scores/automated-score.ts";
import type { Semaphore } from "../../async/semaphore.ts";

/** A judgement a provider could not make now. */
export type Deferred = Extract<Verdict, { kind: "deferred" }>;

/** One target of a slice. */
export interface TargetPlace {
  readonly order: RunOrder;
  readonly slice: Slice;
  /** Position in the slice. */
  readonly target: number;
}

/** One target's share of the work on a slice. */
export interface TargetWork extends TargetPlace {
  /** Judge calls are made through it. */
  readonly calls: Semaphore;
  /** Epoch milliseconds by which every call must have ended. */
  readonly deadline: number;
  /** Whether one more judgement may be begun. */
  readonly mayStart: () => boolean;
  /** What judgements are paid from. */
  readonly purse: Purse;
  readonly settle: (settled: Settled) => void;
  /** Leaves pairs unsettled because a provider is away, or there is no money now. */
  readonly defer: (pairs: readonly number[], verdict: Deferred) => void;
  /** Leaves the target unsettled: it is too early for it before that instant, epoch milliseconds. */
  readonly postpone: (until: number) => void;
}

/** A kind of target: how one is evaluated, and how its scores are made. */
export interface TargetKind {
  /** Targets of one slice that are worked on at a time; undefined: as many as judge calls. */
  readonly lanes?: number;
  evaluate(work: TargetWork): Promise<void>;
  /** Makes a target's scores without judging anything; null when it is not there any more. */
  scorer(place: TargetPlace): Promise<Scorer | null>;
}

/** What a run can be about. */
export type TargetKinds = Readonly<Record<TargetType, TargetKind>>;

/** Makes the score that a judgement of one of a target's metrics becomes. */
export type Scorer<S extends WitnessedScore["score"] = WitnessedScore["score"]> = (
  metric: string,
  judgement: Judgement,
) => WitnessedScore & { readonly score: S };

/** The id of a place's target. */
export const targetId = ({ slice, target }: TargetPlace): string => slice.targets[target] ?? "";

/** The metric of a pair of a slice. */
export const metricOf = ({ order, target }: TargetPlace, pair: number): string =>
  order.metrics[pair - target * order.metrics.length] ?? "";

/** The pairs of a target that nobody has settled yet. */
export const unsettledPairs = ({ order, slice, target }: TargetPlace): number[] =>
  Array.from(order.metrics.keys(), (metric) => target * order.metrics.length + metric).filter(
    (pair) => !isSettled(slice.bits, pair),
  );
