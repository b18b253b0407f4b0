import { Presets, SingleBar } from "cli-progress";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../../../lib/client/client.ts";
import type { EvalRun } from "../../../lib/client/interface.ts";

const pollMilliseconds = 200;
const maxRunMilliseconds = 600_000;

/** Starts an evaluation run of the traces with a tag and shows its progress. @returns the completed run, or its state after ten minutes. */
export const evaluateTraces = async (client: Client, tag: string): Promise<EvalRun> => {
  const body = { name: "demo", metrics: ["task_completion", "tool_correctness"], filters: { tags: [tag] } };
  let run = await client.createTraceRun({ body });
  const bar = new SingleBar(
    { format: "Judging {bar} {value}/{total} traces", noTTYOutput: true, notTTYSchedule: 500 },
    Presets.shades_classic,
  );
  bar.start(run.total_traces, 0);
  for (const deadline = Date.now() + maxRunMilliseconds; run.completed_at === null && Date.now() < deadline;) {
    await wait(pollMilliseconds);
    run = await client.getTraceRun({ path: { run_id: run.id } });
    bar.update(run.evaluated_count);
  }
  bar.stop();
  return run;
};
