import type { InferOutput } from "valibot";
import type { runTarget } from "../../contract/runs/targets.ts";
import type { ListedTarget } from "../../evaluation/read/target-page.ts";

/** A target of a run as the wire has it. */
export const runTargetReply = ({
  progress: { id, state, metrics },
  reasons,
  stale,
  attempts,
  waitingFor,
}: ListedTarget): InferOutput<typeof runTarget> => ({
  target_id: id,
  state,
  metrics: metrics.map((metric) => ({ ...metric, reason: reasons.get(metric.name) ?? null })),
  stale,
  attempts,
  waiting_for: waitingFor,
});
