import type { CheckedTrace } from "../../lib/domain/checks/checked-trace.ts";
import { preparedCheck } from "../../lib/domain/checks/evaluate.ts";
import { readCheck } from "../../lib/domain/checks/read-check.ts";
import type { Json } from "../../lib/domain/json.ts";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { mergeTrace } from "../../lib/domain/traces/merge.ts";
import { toolCalls } from "../../lib/metrics/trace/tool-calls.ts";

/** Checks as teams write them, from one condition to seven. */
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

/** CPU since then, in microseconds. */
const cpuSince = (from: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(from);
  return user + system;
};

/** How many checks are looked at, altogether. */
const asked = 1_000_000;

/** CPU of a check, on each trace in turn; calls of tools are read anew by each, as in a run of one check. */
export const benchChecks = (given: readonly IdentifiedTrace[]): Promise<void> => {
  const traces = given.map((trace) => mergeTrace(null, trace));
  const each = Math.ceil(asked / Object.keys(checks).length);
  let [spent, looked] = [0, 0];
  const rows = Object.entries(checks).map(([name, sent]) => {
    const { check } = readCheck(sent);
    if (check === null) throw new Error(`${name} cannot be read.`);
    const look = preparedCheck(check);
    const before = process.cpuUsage();
    let held = 0;
    for (let count = 0; count < each; count += 1) {
      const trace = traces[count % traces.length];
      if (trace === undefined) break;
      const checked: CheckedTrace = { trace, calls: () => toolCalls(trace) };
      if (look(checked).holds === true) held += 1;
    }
    const own = cpuSince(before);
    [spent, looked] = [spent + own, looked + each];
    return [name, String(each), (own / each).toFixed(1), (held / each).toFixed(2)];
  });
  const head = ["check", "looked at", "CPU, microseconds each", "share that holds"];
  const all = ["all of them", String(looked), (spent / looked).toFixed(1), ""];
  for (const row of [head, head.map(() => "---"), ...rows, all]) console.log(`| ${row.join(" | ")} |`);
  return Promise.resolve();
};
