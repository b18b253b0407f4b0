/**
 * Measures the cost of judging: calls and tokens of all metrics for a trace, and time, CPU and memory of a run with a
 * mock judge.
 */
import { join } from "node:path";
import Table from "cli-table3";
import { installPackages } from "../../infra/supply/install-packages.ts";
import { mergeTrace } from "../../lib/domain/traces/merge.ts";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { checkRatio } from "./beside/ratio.ts";
import { countJudgeCalls, naiveTokens } from "./judge-calls.ts";
import { measurePeer, promptOf } from "./judge-peer.ts";
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

/** Most CPU time of the judge alone beside autoevals, which stores nothing either. */
const cpuLimit = 1.5;

/** Rounds of the timed run; the programs alternate, so that other load affects both. */
const rounds = 3;

const speed = async (traces: readonly IdentifiedTrace[]): Promise<string> => {
  const head = ["judge answers in", "", "judgements", "seconds", "CPU seconds", "peak MB"];
  const table = new Table({ head, ...plain });
  installPackages(join(import.meta.dirname, "peers"));
  const [worker, alone, peer] = [
    await judgeProcess(new URL("./judge-worker.ts", import.meta.url)),
    await judgeProcess(new URL("./beside/judge-alone.ts", import.meta.url)),
    await judgeProcess(new URL("./peers/judge-autoevals.ts", import.meta.url)),
  ];
  for (const latency of [200, 20]) {
    const startJudge = () => startMockJudge(latency);
    const run = { traces, copies, latency, startJudge, model: "custom/judge", calls: callsAtATime, flags: [] };
    const programs = [
      { name: "a run, scores stored", measure: () => measureJudging(worker, run) },
      { name: "its judge, nothing stored", measure: () => measurePeer(alone, run, (trace) => trace) },
      { name: "autoevals, nothing stored", measure: () => measurePeer(peer, run, promptOf) },
    ];
    const results = programs.map((): Measured[] => []);
    for (let round = 0; round < rounds; round += 1)
      for (const [index, { measure }] of programs.entries()) results[index]?.push(await measure());
    const cpus = programs.map(({ name }, index) => {
      const measurements = results[index] ?? [];
      const middle = (figure: keyof Measured): number => median(measurements.map((measurement) => measurement[figure]));
      if (measurements.some(({ scored }) => scored !== copies * traces.length))
        throw new Error(`Not every judgement has a score: ${name}.`);
      const [seconds, cpu] = [middle("seconds").toFixed(2), middle("cpu").toFixed(2)];
      table.push([`${latency} ms`, name, middle("scored"), seconds, cpu, middle("megabytes").toFixed(0)]);
      return middle("cpu");
    });
    const [ofRun = NaN, ofJudge = NaN, ofPeer = NaN] = cpus;
    console.log(`a run's CPU beside autoevals, judge of ${latency} ms: ${(ofRun / ofPeer).toFixed(2)} times`);
    checkRatio(`its judge's CPU beside autoevals, judge of ${latency} ms`, ofJudge, ofPeer, cpuLimit);
  }
  for (const program of [worker, alone, peer]) program.close();
  return table.toString();
};

/** Prints time, CPU and memory of judgements with stored scores, beside those of its judge alone and of a peer in the same run. */
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
