import * as v from "valibot";
import { targetStates } from "../../domain/runs/target-progress.ts";
import { oneOf } from "../fields.ts";

const state = oneOf(targetStates);

/** One target of a run, and how far it is. */
export const runTarget = v.pipe(
  v.object({
    target_id: v.pipe(v.string(), v.description("Of a trace or of a session.")),
    state: v.pipe(
      state,
      v.description(
        "`waiting` for a judge; `judging`: a worker has it; `settled`: every metric has a score, be it one that somebody has edited since; `failed`: every metric is " +
          "done with and one at least got no score; `not_found`: it is not there any more.",
      ),
    ),
    metrics: v.array(
      v.object({
        name: v.string(),
        state,
        reason: v.pipe(
          v.nullable(v.string()),
          v.description(
            "Code of the reason for which it failed: that of its FAILED score, `target_not_found`, or `run_failed` when the " +
              "run could not be judged at all; null otherwise.",
          ),
        ),
      }),
    ),
    stale: v.pipe(
      v.nullable(v.boolean()),
      v.description(
        "Whether the target has changed since it was judged, by the first of its metrics that has a score; null where none has, " +
          "and where it is not known.",
      ),
    ),
    attempts: v.pipe(
      v.number(),
      v.integer(),
      v.description("How often a worker has taken up the part of the run that the target is in."),
    ),
    waiting_for: v.pipe(
      v.nullable(v.string()),
      v.description(
        "What a `waiting` target waits for beside a worker: a provider that is away, a ceiling of cost; null otherwise.",
      ),
    ),
  }),
  v.title("RunTarget"),
  v.description("A target of a run with what has become of each of its metrics."),
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
