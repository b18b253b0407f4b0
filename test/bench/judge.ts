/**
 * Measures the cost of judging: calls and tokens of all metrics for a trace, and time, CPU and memory of a run with a
 * mock judge.
 */
import { join } from "node:path";
import Table from "cli-table3";
import { installPackages } from "../../infra/supply/install-packages.ts";
import { mergeTrace } from "../../lib/domain/traces/merge.ts";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { countJudgeCalls, naiveTokens } from "./judge-calls.ts";
import { measurePeer } from "./judge-peer.ts";
import { judgeProcess, type Measured } from "./judge-process.ts";
import { benchJudgeRun } from "./judge-run.ts";
import { measureJudging } from "./judge-speed.ts";
import { median } from "./median.ts";
import { startMockJudge } from "./mock-judge.ts";

/** Judgements per trace in the timed run: 1,020 of 60 traces. */
export const copies = 17;
export const callsAtATime = 50;

const plain = { style: { head: [], border: [] } };

const tokens = async (traces: readonly IdentifiedTrace[]): Promise<string> => {
  const table = new Table({ head: ["all 8 trace metrics of a trace", "median"], ...plain });
  const storedTraces = traces.map((trace) => mergeTrace(null, trace));
  const costs = [];
  for (const trace of storedTraces) costs.push(await countJudgeCalls(trace));
  const naive = median(storedTraces.map(naiveTokens));
  const prompt = median(costs.map(({ promptTokens }) => promptTokens));
  table.push(
    ["judge calls", median(costs.map(({ calls }) => calls))],
    ["embedding calls", median(costs.map(({ embeddingCalls }) => embeddingCalls))],
    ["prompt tokens (4 characters each)", prompt],
    ["of these the transcript, over all calls that show it", median(costs.map((cost) => cost.recordTokens))],
    ["of these repeated beginnings, for a provider's cache", median(costs.map((cost) => cost.cacheableTokens))],
    ["the whole trace as indented JSON in 11 of 18 calls", naive],
    ["share of that", (prompt / naive).toFixed(3)],
  );
  return table.toString();
};

/** Rounds of the timed run; the two programs alternate, so that other load affects both. */
const rounds = 3;

const speed = async (traces: readonly IdentifiedTrace[]): Promise<string> => {
  const head = ["judge answers in", "", "judgements", "seconds", "CPU seconds", "peak MB"];
  const table = new Table({ head, ...plain });
  installPackages(join(import.meta.dirname, "peers"));
  const [worker, peer] = [
    await judgeProcess(new URL("./judge-worker.ts", import.meta.url)),
    await judgeProcess(new URL("./peers/judge-autoevals.ts", import.meta.url)),
  ];
  for (const latency of [200, 20]) {
    const startJudge = () => startMockJudge(latency);
    const run = { traces, copies, latency, startJudge, model: "custom/judge", calls: callsAtATime, flags: [] };
    const ours: Measured[] = [];
    const theirs: Measured[] = [];
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await measureJudging(worker, run));
      theirs.push(await measurePeer(peer, run));
    }
    if ([...ours, ...theirs].some(({ scored }) => scored !== copies * traces.length))
      throw new Error("Not every judgement has a score.");
    for (const [name, measurements] of [
      ["a run, scores stored", ours] as const,
      ["autoevals, nothing stored", theirs] as const,
    ]) {
      const middle = (figure: keyof Measured): number => median(measurements.map((measurement) => measurement[figure]));
      const seconds = middle("seconds").toFixed(2);
      table.push([
        `${latency} ms`,
        name,
        middle("scored"),
        seconds,
        middle("cpu").toFixed(2),
        middle("megabytes").toFixed(0),
      ]);
    }
  }
  worker.close();
  peer.close();
  return table.toString();
};

/** Prints time, CPU and memory of judgements with stored scores, beside those of a peer in the same run. */
export const benchJudgements = async (traces: readonly IdentifiedTrace[]): Promise<void> => {
  console.log(
    `the same questions about ${traces.length} traces, ${callsAtATime} at a time, each in a process of its own; medians of ${rounds} rounds`,
  );
  console.log(await speed(traces));
};

/** Prints all judge measurements for some traces. */
export const benchJudge = async (traces: readonly IdentifiedTrace[]): Promise<void> => {
  console.log(await tokens(traces));
  await benchJudgements(traces);
  await benchJudgeRun(traces);
};
