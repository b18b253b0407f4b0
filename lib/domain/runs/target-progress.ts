import { pairState } from "./pair-bits.ts";
import type { RunOrder } from "./run.ts";
import type { Slice } from "./slice.ts";

export const targetStates = ["waiting", "judging", "settled", "failed", "not_found"] as const;
type TargetState = (typeof targetStates)[number];

/** Progress of one metric on a target. */
interface MetricProgress {
  readonly name: string;
  readonly state: TargetState;
}

/** Progress of a target of a run. */
export interface TargetProgress {
  readonly id: string;
  readonly state: TargetState;
  readonly metrics: readonly MetricProgress[];
}

const terminalStates = ["not_found", "failed", "settled"] as const;

/**
 * Computes the progress of the targets of a slice, in their order.
 *
 * @param isLeased true if a worker is processing the slice. Its open targets are then being judged; in a sequential run
 * only the first of them.
 */
export const progressOf = (
  { metrics, sequential }: Pick<RunOrder, "metrics" | "sequential">,
  { targets, bits }: Pick<Slice, "targets" | "bits">,
  isLeased: boolean,
): readonly TargetProgress[] => {
  let isNextJudged = isLeased;
  return targets.map((id, target) => {
    const pairs = metrics.flatMap((name, metric) => {
      const state = pairState(bits, metrics.length, target * metrics.length + metric);
      return state === null ? [] : [{ name, state }];
    });
    const open = pairs.some(({ state }) => state === "open");
    const openState = isNextJudged ? "judging" : "waiting";
    const states = {
      open: openState,
      scored: "settled",
      failed: "failed",
      missing: "not_found",
    } as const;
    const progress = pairs.map(({ name, state }) => ({ name, state: states[state] }));
    const worst = terminalStates.find((end) => progress.some(({ state }) => state === end)) ?? "settled";
    if (open && sequential) isNextJudged = false;
    return { id, state: open ? openState : worst, metrics: progress };
  });
};
