import * as v from "valibot";
import { targetStates } from "../../domain/runs/target-progress.ts";
import { oneOf } from "../schema/fields.ts";

const targetState = oneOf(targetStates);

/** Schema of a target of a run, with its progress per metric. */
export const runTarget = v.pipe(
  v.object({
    target_id: v.pipe(v.string(), v.description("Id of the trace or session.")),
    state: v.pipe(
      targetState,
      v.description(
        "`waiting`: not started; `judging`: in progress; `settled`: every metric has a score, including scores edited since; `failed`: " +
          "all metrics are finished and at least one has no successful score; `not_found`: the target no longer exists.",
      ),
    ),
    metrics: v.array(
      v.object({
        name: v.string(),
        state: targetState,
        reason: v.pipe(
          v.nullable(v.string()),
          v.description(
            "Code of the failure: the code of the FAILED score, `target_not_found`, or `run_failed` if the whole run failed; null " +
              "if the metric has not failed.",
          ),
        ),
      }),
    ),
    stale: v.pipe(
      v.nullable(v.boolean()),
      v.description(
        "True if the target has changed since it was judged, according to the first metric with a score; null without a score or if " +
          "unknown.",
      ),
    ),
    attempts: v.pipe(
      v.number(),
      v.integer(),
      v.description("Number of times that a worker has started the slice of the run with this target."),
    ),
    waiting_for: v.pipe(
      v.nullable(v.string()),
      v.description(
        "Reason why a `waiting` target cannot start: an unavailable provider or a cost ceiling; null otherwise.",
      ),
    ),
  }),
  v.title("RunTarget"),
  v.description("A target of a run with the progress of each metric."),
  v.examples([
    {
      target_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01",
      state: "failed",
      metrics: [
        { name: "task_completion", state: "settled", reason: null },
        { name: "tool_correctness", state: "failed", reason: "judge_refused" },
      ],
      stale: false,
      attempts: 1,
      waiting_for: null,
    },
  ]),
);
