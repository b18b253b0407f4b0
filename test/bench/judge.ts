/** What judging costs: calls and tokens of all metrics for a trace, then time, CPU and memory of a run with a mock judge. */
import Table from "cli-table3";
import { mergeTrace, type IdentifiedTrace } from "../../lib/domain/merge-trace.ts";
import { countJudgeCalls, naiveTokens } from "./judge-calls.ts";
import { measureJudging } from "./judge-speed.ts";
import { median } from "./median.ts";

/** Judgements of each trace in the timed run: 1,020 of 60 traces. */
const copies = 17;
const callsAtATime = 50;

const plain = { style: { head: [], border: [] } };

const tokens = async (traces: readonly IdentifiedTrace[]): Promise<string> => {
  const table = new Table({ head: ["all 8 trace metrics of a trace", "median"], ...plain });
  const stored = traces.map((trace) => mergeTrace(null, trace));
  const costs = [];
  for (const trace of stored) costs.push(await countJudgeCalls(trace));
  const naive = median(stored.map(naiveTokens));
  const prompt = median(costs.map(({ promptTokens }) => promptTokens));
  table.push(
    ["judge calls", median(costs.map(({ calls }) => calls))],
    ["embedding calls", median(costs.map(({ embeddingCalls }) => embeddingCalls))],
    ["prompt tokens (4 characters each)", prompt],
    ["of these repeated beginnings, for a provider's cache", median(costs.map((cost) => cost.cacheableTokens))],
    ["the whole trace as indented JSON in 11 of 18 calls", naive],
    ["share of that", (prompt / naive).toFixed(3)],
  );
  return table.toString();
};

const speed = async (traces: readonly IdentifiedTrace[]): Promise<string> => {
  const head = ["judge answers in", "judgements", "seconds", "CPU seconds", "peak MB"];
  const table = new Table({ head, ...plain });
  for (const latency of [200, 20]) {
    const run = { traces, copies, latency, calls: callsAtATime, flags: [] };
    const { scored, seconds, cpu, megabytes } = await measureJudging(run);
    table.push([`${latency} ms`, scored, seconds.toFixed(2), cpu.toFixed(2), megabytes.toFixed(0)]);
  }
  return table.toString();
};

/** Prints both for some traces. */
export const benchJudge = async (traces: readonly IdentifiedTrace[]): Promise<void> => {
  console.log(await tokens(traces));
  console.log(`a run over ${traces.length} traces, ${callsAtATime} calls at a time, scores stored, process of its own`);
  console.log(await speed(traces));
};
