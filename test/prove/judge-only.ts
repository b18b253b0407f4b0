import { scoreEstimate } from "../../lib/domain/statistics/estimate.ts";
import type { Client } from "../../lib/client/client.ts";
import type { TraceInput } from "../../lib/client/interface.ts";
import { judgeTraces } from "../../infra/prove/judge-traces.ts";
import { inDollars } from "../../infra/verify/figures.ts";
import { messageOf } from "../../infra/verify/message-of.ts";
import { type Trajectory, trajectoriesIn } from "../bench/trust/trajectories.ts";

/** Trajectories that are judged of a file. */
const maxTrajectories = 100;

/** Whether a trajectory passes; null without a verdict, which agrees with no outcome. */
type Passes = (trajectory: Trajectory, at: number) => boolean | null;

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

/** Returns a row of the table: the shares of all outcomes, of the solved ones and of the others that verdicts agree with. */
const row = (name: string, trajectories: readonly Trajectory[], passes: Passes): string => {
  const agreements = trajectories.map((trajectory, at) => ({
    isSolved: trajectory.solved,
    cluster: trajectory.task,
    value: Number(passes(trajectory, at) === trajectory.solved),
  }));
  const cells = [[true, false], [true], [false]].map((outcomes) => {
    const { value, interval } = scoreEstimate(agreements.filter(({ isSolved }) => outcomes.includes(isSolved)));
    const ends = interval === null ? "" : ` (${percent(interval.lower)} to ${percent(interval.upper)})`;
    return value === null ? "-" : `${percent(value)}${ends}`;
  });
  return `| ${[name, ...cells].join(" | ")} |`;
};

/** Returns the table of a judge's agreement with known outcomes, beside two plain baselines. */
const agreementTable = (model: string, trajectories: readonly Trajectory[], passes: Passes): string => {
  const isCommoner = trajectories.filter(({ solved }) => solved).length * 2 >= trajectories.length;
  return [
    "| | agrees with all outcomes | of the solved | of the others |",
    "|---|---|---|---|",
    row(model, trajectories, passes),
    row(`always ${isCommoner ? "pass" : "fail"}, the commoner outcome`, trajectories, () => isCommoner),
    row("fail if a span failed", trajectories, ({ trace }) => !trace.spans.some(({ status }) => status === "ERROR")),
  ].join("\n");
};

/** Reads labelled trajectories. @throws Error with the file's name if they are not readable. */
const readTrajectories = (file: string): readonly Trajectory[] => {
  try {
    return trajectoriesIn(file).slice(0, maxTrajectories);
  } catch (error) {
    throw new Error(`${file} has no readable trajectories: ${messageOf(error)}`, { cause: error });
  }
};

/**
 * Judges labelled trajectories with a model through the API, in the client's project.
 *
 * @returns Markdown with the model's agreement with the known outcomes, beside two plain baselines.
 */
export const proveJudge = async (client: Client, file: string, model: string): Promise<string> => {
  const trajectories = readTrajectories(file);
  const ids: string[] = [];
  for (const { trace } of trajectories) {
    const { trace_id: _, ...body } = trace as unknown as TraceInput;
    ids.push((await client.createTrace({ body })).trace_id);
  }
  const { run, scores } = await judgeTraces(client, ids, model);
  const verdicts = new Map(
    scores
      .filter(({ status, applicable }) => status === "SUCCESS" && applicable === true)
      .map(({ trace_id, value, metadata }) => [trace_id, Number(value) >= Number(metadata["threshold"])]),
  );
  const table = agreementTable(model, trajectories, (_, at) => verdicts.get(ids[at] ?? "") ?? null);
  const { calls, cost_usd } = run.judge_usage;
  return `${table}\n\n${ids.length} trajectories by \`task_completion\`, ${verdicts.size} with a verdict, ${calls} calls, ${inDollars(cost_usd)}; one without a verdict agrees with nothing. Intervals of 95 %, robust against trajectories of one task.`;
};
