import { signalNames } from "../../domain/scores/signals.ts";
import { isSettled } from "../../domain/runs/pair-bits.ts";
import type { RunOrder } from "../../domain/runs/run.ts";
import type { Slice } from "../../domain/runs/slice.ts";

/** How many judgements a slice may still need: its open pairs, or every signal of its open sessions' traces. */
export const openJudgements = ({ metrics, targetType }: RunOrder, { targets, traces, bits }: Slice): number => {
  let open = 0;
  for (const target of targets.keys()) {
    const pairs = metrics.filter((_, metric) => !isSettled(bits, target * metrics.length + metric)).length;
    if (targetType === "TRACE") open += pairs;
    else if (pairs > 0) open += Math.max(1, traces[target] ?? 0) * signalNames.length;
  }
  return open;
};
