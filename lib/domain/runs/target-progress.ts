import { pairState } from "./pair-bits.ts";
import type { RunOrder } from "./run.ts";
import type { Slice } from "./slice.ts";

export const targetStates = ["waiting", "judging", "settled", "failed", "not_found"] as const;
type TargetState = (typeof targetStates)[number];

/** How far a metric of a target is. */
interface MetricProgress {
  readonly name: string;
  readonly state: TargetState;
}

/** How far a target of a run is. */
export interface TargetProgress {
  readonly id: string;
  readonly state: TargetState;
  readonly metrics: readonly MetricProgress[];
}

const ended = ["not_found", "failed", "settled"] as const;

/**
 * How far the targets of a slice are, in their order.
 *
 * @param held whether a worker has the slice; where one target comes after the other it has the first that is open.
 */
export const progressOf = (
  { metrics, sequential }: Pick<RunOrder, "metrics" | "sequential">,
  { targets, bits }: Pick<Slice, "targets" | "bits">,
  held: boolean,
): readonly TargetProgress[] => {
  let judging = held;
  return targets.map((id, target) => {
    const pairs = metrics.flatMap((name, metric) => {
      const state = pairState(bits, metrics.length, target * metrics.length + metric);
      return state === null ? [] : [{ name, state }];
    });
    const open = pairs.some(({ state }) => state === "open");
    const openState = judging ? "judging" : "waiting";
    const states = {
      open: openState,
      scored: "settled",
      failed: "failed",
      missing: "not_found",
    } as const;
    const progress = pairs.map(({ name, state }) => ({ name, state: states[state] }));
    const worst = ended.find((end) => progress.some(({ state }) => state === end)) ?? "settled";
    if (open && sequential) judging = false;
    return { id, state: open ? openState : worst, metrics: progress };
  });
};
