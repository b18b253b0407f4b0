/**
 * `npm run bench`: what storage costs and how long things take, on a real DynamoDB protocol server on this machine.
 *
 * Capacity units are the server's own figures and repeatable; times are this machine's. Units are means,
 * times medians, each with the least and the most.
 *
 *     npm run bench -- [storage stream ingest lists answers judge judgements filters checks own scale trust] [--seed 1] [--canonical FILE.ndjson.gz] [--rows 1000,10000]
 *       [--trajectories FILE.ndjson.gz] [--models openai/gpt-5.4-mini]
 */
import { parseArgs } from "node:util";
import { benchAnswers } from "./answers.ts";
import { benchChecks } from "./checks.ts";
import { benchFilters } from "./filters.ts";
import { benchIngest } from "./ingest.ts";
import { benchJudge, benchJudgements } from "./judge.ts";
import { benchLists } from "./lists.ts";
import { median } from "./median.ts";
import { sampleTraces } from "./sample-traces.ts";
import { benchCustom } from "./custom/custom-metrics.ts";
import { benchScale } from "./scale/scale.ts";
import { benchStorage } from "./storage.ts";
import { benchStream } from "./stream.ts";
import { benchTrust } from "./trust/trust.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    canonical: { type: "string" },
    trajectories: { type: "string" },
    models: { type: "string", default: "" },
    rows: { type: "string", default: "1000,10000,100000" },
  },
});

const seed = Number(values.seed);
const traces = sampleTraces(values.canonical, seed);
const bytes = traces.map((trace) => Buffer.byteLength(JSON.stringify(trace)));
console.log(`seed ${seed}; ${traces.length} traces of ${Math.round(median(bytes) / 1024)} KiB (median)`);

const parts: Readonly<Record<string, () => Promise<void>>> = {
  storage: () => benchStorage(traces),
  stream: () => benchStream(seed),
  ingest: () => benchIngest(traces),
  lists: () => benchLists(values.rows.split(",").map(Number), seed),
  answers: () => benchAnswers(seed),
  judge: () => benchJudge(traces),
  judgements: () => benchJudgements(traces),
  trust: () => benchTrust(values.trajectories, values.models.split(",").filter(Boolean), seed),
  checks: () => benchChecks(traces),
  own: () => benchCustom(traces, values.trajectories),
  filters: () => benchFilters(values.rows.split(",").map(Number), seed),
  scale: () => benchScale([1, 10], []),
};

/** A quarter of an hour, what needs files, and a part of another: only where they are asked for. */
const rare = new Set(["checks", "own", "scale", "trust", "judgements", "filters"]);

for (const part of positionals.length === 0 ? Object.keys(parts).filter((name) => !rare.has(name)) : positionals) {
  const run = parts[part];
  if (run === undefined) throw new Error(`There is no part ${part}: ${Object.keys(parts).join(", ")}.`);
  console.log(`\n${part}\n`);
  await run();
}
