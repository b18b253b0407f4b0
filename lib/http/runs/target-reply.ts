import type { InferOutput } from "valibot";
import type { runTarget } from "../../contract/runs/targets.ts";
import type { RunTargetEntry } from "../../evaluation/read/target-page.ts";

/** Returns the API representation of a target of a run. */
export const runTargetReply = ({
  progress: { id, state, metrics },
  reasons,
  stale,
  attempts,
  waitingFor,
}: RunTargetEntry): InferOutput<typeof runTarget> => ({
  target_id: id,
  state,
  metrics: metrics.map((metric) => ({ ...metric, reason: reasons.get(metric.name) ?? null })),
  stale,
  attempts,
  waiting_for: waitingFor,
});
