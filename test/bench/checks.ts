import type { CheckedTrace } from "../../lib/domain/checks/checked-trace.ts";
import { prepareCheck } from "../../lib/domain/checks/evaluate.ts";
import { readCheck } from "../../lib/domain/checks/read-check.ts";
import type { Json } from "../../lib/domain/json.ts";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { mergeTrace } from "../../lib/domain/traces/merge.ts";
import { toolCalls } from "../../lib/metrics/trace/tool-calls.ts";

/** Typical code checks with one to seven conditions. */
const checks: Readonly<Record<string, Json>> = {
  "the output lacks a text": { type: "lacks", text: "as an AI" },
  "a pattern in the output": { type: "matches", pattern: "(?i)order\\s+[A-Z]{3}-?\\d+" },
  "a pattern in every span's output": {
    not: { type: "matches", of: "span_outputs", pattern: "(?i)traceback|stack trace" },
  },
  "the length of the output": { type: "length", min: 1, max: 4000 },
  "the output is JSON of a schema": {
    type: "json",
    schema: { type: "object", required: ["answer"], properties: { answer: { type: "string", minLength: 1 } } },
  },
  "latency, cost and tokens": {
    all: [
      { type: "latency_ms", max: 30_000 },
      { type: "cost_usd", max: 0.5 },
      { type: "tokens", max: 200_000 },
    ],
  },
  "tools: calls, order, errors, retries": {
    all: [
      { type: "tool_calls", max: 20 },
      { type: "tool_before", tool: "lookup", before: "update" },
      { type: "error_rate", over: "tools", max: 0.2 },
      { type: "retries", max: 2 },
    ],
  },
};

/** CPU time since `from` in microseconds. */
const cpuSince = (from: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(from);
  return user + system;
};

/** Total number of measured check runs. */
const checkCount = 1_000_000;

/**
 * Measures the CPU time of a check on each trace in turn; tool calls are parsed for each run, as in a run of one check.
 */
export const benchChecks = (identifiedTraces: readonly IdentifiedTrace[]): Promise<void> => {
  const traces = identifiedTraces.map((trace) => mergeTrace(null, trace));
  const each = Math.ceil(checkCount / Object.keys(checks).length);
  let [spent, checkedCount] = [0, 0];
  const rows = Object.entries(checks).map(([name, definition]) => {
    const { check } = readCheck(definition);
    if (check === null) throw new Error(`${name} cannot be read.`);
    const runCheck = prepareCheck(check);
    const before = process.cpuUsage();
    let heldCount = 0;
    for (let count = 0; count < each; count += 1) {
      const trace = traces[count % traces.length];
      if (trace === undefined) break;
      const checked: CheckedTrace = { trace, expectedOutput: null, calls: () => toolCalls(trace) };
      if (runCheck(checked).holds === true) heldCount += 1;
    }
    const checkCpu = cpuSince(before);
    [spent, checkedCount] = [spent + checkCpu, checkedCount + each];
    return [name, String(each), (checkCpu / each).toFixed(1), (heldCount / each).toFixed(2)];
  });
  const head = ["check", "looked at", "CPU, microseconds each", "share that holds"];
  const totalRow = ["all of them", String(checkedCount), (spent / checkedCount).toFixed(1), ""];
  for (const row of [head, head.map(() => "---"), ...rows, totalRow]) console.log(`| ${row.join(" | ")} |`);
  return Promise.resolve();
};
