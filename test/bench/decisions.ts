/** Measures a decision judge: calls, tokens and cost of a trace, and the time of a run with stored scores. */
import Table from "cli-table3";
import { mergeTrace } from "../../lib/domain/traces/merge.ts";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { createJudge } from "../../lib/judge/create-judge.ts";
import { traceMetrics } from "../../lib/metrics/trace/definitions.ts";
import { startFakeDecisions } from "../support/runs/fake-decisions.ts";
import { callsAtATime, copies } from "./judge.ts";
import { judgeProcess, type Measured } from "./judge-process.ts";
import { measureJudging } from "./judge-speed.ts";
import { median } from "./median.ts";

const plain = { style: { head: [], border: [] } };

const usdPerMillionTokens = 0.1;

/** Metrics of a usual monitor, and all that a judge scores by statements. */
const threeMetrics = ["task_completion", "tool_correctness", "confidence"];
const withPlans = [...threeMetrics, "step_efficiency", "argument_correctness", "plan_quality", "plan_adherence"];

const rounds = 3;

const price = async (traces: readonly IdentifiedTrace[]): Promise<string> => {
  const server = await startFakeDecisions();
  const judge = createJudge({
    metrics: traceMetrics,
    providers: { systemone: { baseUrl: "/base-url" } },
    parameter: async () => server.url,
    modelRefusal: () => null,
  });
  const head = ["metrics", "calls a trace", "tokens a trace, mean", "median", "US dollars for 100,000 traces"];
  const table = new Table({ head, ...plain });
  for (const metrics of [threeMetrics, withPlans]) {
    const [calls, tokens]: [number[], number[]] = [[], []];
    for (const [index, sent] of traces.entries()) {
      server.script(() => ({ kind: "answers" }));
      const request = { runId: "run", projectId: "project", traceVersion: 1, model: "systemone/model" };
      const target = judge.target({ ...request, trace: mergeTrace(null, sent) });
      await target.shared?.scoreAll(metrics, Date.now() + 60_000);
      calls.push(server.calls.length);
      tokens.push((server.billed() * 1e6) / usdPerMillionTokens);
      if (server.calls.length === 0) throw new Error(`Trace ${index} was not judged.`);
    }
    const mean = tokens.reduce((sum, count) => sum + count, 0) / tokens.length;
    const dollars = ((mean * usdPerMillionTokens) / 1e6) * 100_000;
    table.push([metrics.length, Math.max(...calls), Math.round(mean), Math.round(median(tokens)), dollars.toFixed(2)]);
  }
  await server.close();
  return table.toString();
};

const speed = async (traces: readonly IdentifiedTrace[]): Promise<string> => {
  const worker = await judgeProcess(new URL("./judge-worker.ts", import.meta.url));
  const table = new Table({ head: ["judge answers in", "judgements", "seconds", "CPU seconds", "peak MB"], ...plain });
  for (const latency of [20, 200]) {
    const measurements: Measured[] = [];
    const startJudge = () => startFakeDecisions(latency);
    for (let round = 0; round < rounds; round += 1)
      measurements.push(
        await measureJudging(worker, {
          traces,
          copies,
          startJudge,
          model: "systemone/model",
          calls: callsAtATime,
          flags: [],
        }),
      );
    const middle = (figure: keyof Measured): number => median(measurements.map((measurement) => measurement[figure]));
    table.push([
      `${latency} ms`,
      middle("scored"),
      middle("seconds").toFixed(2),
      middle("cpu").toFixed(2),
      middle("megabytes").toFixed(0),
    ]);
  }
  worker.close();
  return table.toString();
};

/** Prints calls, tokens and cost at $0.10 per million tokens of 4 characters, and the time of 1,020 judgements. */
export const benchDecisions = async (traces: readonly IdentifiedTrace[]): Promise<void> => {
  console.log(await price(traces));
  console.log(
    `${copies} metrics of ${traces.length} traces, one call a trace, scores stored; medians of ${rounds} rounds`,
  );
  console.log(await speed(traces));
};
