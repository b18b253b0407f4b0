/**
 * `npm run bench`: measures storage costs and durations on a local DynamoDB protocol server. Capacity units are
 * reported by the server and reproducible; durations depend on this machine. Units are means, durations medians, each
 * with minimum and maximum.
 *     npm run bench -- [storage stream ingest lists answers judge judgements score-units filters checks custom alerts intervals gate bombs scale trust lake] [--seed 1] [--canonical FILE.ndjson.gz] [--rows 1000,10000] [--projects 1000]
 *       [--trajectories FILE.ndjson.gz] [--models openai/gpt-5.4-mini]
 */
import { parseArgs } from "node:util";
import { closeIdleServers } from "../support/database/database.ts";
import { benchIngestionBeside } from "./beside/ingestion.ts";
import { benchListsBeside } from "./beside/lists.ts";
import { benchAlerts } from "./alerts.ts";
import { benchAnswers } from "./answers.ts";
import { benchBombs } from "./bombs.ts";
import { benchChecks } from "./checks.ts";
import { benchDecisions } from "./decisions.ts";
import { benchFilters } from "./filters.ts";
import { benchGate } from "./gate.ts";
import { benchIngest } from "./ingest.ts";
import { benchIntervals } from "./intervals.ts";
import { benchJudge, benchJudgements } from "./judge.ts";
import { benchLake } from "./scale/lake.ts";
import { benchLists } from "./lists.ts";
import { median } from "./median.ts";
import { sampleTraces } from "./sample-traces.ts";
import { benchCustom } from "./custom/custom-metrics.ts";
import { benchScoreUnits } from "./score-units.ts";
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
    projects: { type: "string", default: "1000" },
  },
});

const seed = Number(values.seed);
const traces = sampleTraces(values.canonical, seed);
const bytes = traces.map((trace) => Buffer.byteLength(JSON.stringify(trace)));
console.log(`seed ${seed}; ${traces.length} traces of ${Math.round(median(bytes) / 1024)} KiB (median)`);

const parts: Readonly<Record<string, () => Promise<void> | void>> = {
  storage: () => benchStorage(traces),
  stream: () => benchStream(seed),
  ingest: () => benchIngest(traces),
  lists: () => benchLists(values.rows.split(",").map(Number), seed),
  answers: () => benchAnswers(seed),
  judge: () => benchJudge(traces),
  judgements: () => benchJudgements(traces),
  decisions: () => benchDecisions(traces),
  "score-units": () => benchScoreUnits(traces),
  trust: () => benchTrust(values.trajectories, values.models.split(",").filter(Boolean), seed),
  checks: () => benchChecks(traces),
  custom: () => benchCustom(traces, values.trajectories),
  filters: () => benchFilters(values.rows.split(",").map(Number), seed),
  alerts: () => benchAlerts(Number(values.projects)),
  intervals: () => benchIntervals(seed),
  gate: () => benchGate(seed),
  bombs: () => benchBombs(),
  scale: () => benchScale([1, 10], []),
  lake: () => benchLake(Math.max(...values.rows.split(",").map(Number)), seed),
  "peers-ingestion": () => benchIngestionBeside(),
  "peers-lists": () => benchListsBeside(),
  "peers-judging": () => benchJudgements(traces),
};

/** Parts that run only on request: they take a quarter of an hour, need files or are contained in another part. */
const rare = new Set([
  "checks",
  "custom",
  "scale",
  "trust",
  "judgements",
  "filters",
  "decisions",
  "alerts",
  "intervals",
  "gate",
  "bombs",
  "lake",
  "peers-ingestion",
  "peers-lists",
  "peers-judging",
]);

for (const part of positionals.length === 0 ? Object.keys(parts).filter((name) => !rare.has(name)) : positionals) {
  const run = parts[part];
  if (run === undefined) throw new Error(`There is no part ${part}: ${Object.keys(parts).join(", ")}.`);
  console.log(`\n${part}\n`);
  await run();
}
await closeIdleServers();
