import { Presets, SingleBar } from "cli-progress";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../../../lib/client/client.ts";
import type { EvalRun } from "../../../lib/client/interface.ts";

const pollMilliseconds = 200;
const longestRun = 600_000;

/** Starts a run of the traces with a tag and shows how it gets on. @returns the run as it ended, or after ten minutes. */
export const judgedRun = async (client: Client, tag: string): Promise<EvalRun> => {
  const body = { name: "demo", metrics: ["task_completion", "tool_correctness"], filters: { tags: [tag] } };
  let run = await client.createTraceRun({ body });
  const bar = new SingleBar(
    { format: "Judging {bar} {value}/{total} traces", noTTYOutput: true, notTTYSchedule: 500 },
    Presets.shades_classic,
  );
  bar.start(run.total_traces, 0);
  for (const deadline = Date.now() + longestRun; run.completed_at === null && Date.now() < deadline;) {
    await wait(pollMilliseconds);
    run = await client.getTraceRun({ path: { run_id: run.id } });
    bar.update(run.evaluated_count);
  }
  bar.stop();
  return run;
};
