import Table from "cli-table3";
import { randomUUID } from "node:crypto";
import { sideBySide } from "../../lib/async/side-by-side.ts";
import type { TraceFilters } from "../../lib/domain/traces/filter.ts";
import type { TraceRow } from "../../lib/domain/traces/row.ts";
import { batchWrite } from "../../lib/store/batch-write.ts";
import type { Database } from "../../lib/store/database.ts";
import { filteredAnalytics } from "../../lib/store/hours/filtered.ts";
import { includedScores } from "../../lib/store/scores/newest/included.ts";
import { readyFilters } from "../../lib/store/scores/newest/ready-filters.ts";
import { scoredTraceList } from "../../lib/store/scores/newest/scored-traces.ts";
import { newestKey, packNewest } from "../../lib/store/scores/newest-codec.ts";
import { startDatabase } from "../support/database/database.ts";
import { type Random, seeded } from "../support/random.ts";
import { someScore } from "../support/scores.ts";
import { generateRow } from "../support/traces/generate-row.ts";
import { writeRows } from "../support/traces/rows.ts";
import { countCapacity } from "./capacity.ts";

const firstStart = Date.UTC(2026, 9, 1);
const thirtyDays = 30 * 86_400_000;

/** Gives every trace a newest score of one name. */
const score = async (database: Database, project: string, rows: readonly TraceRow[], random: Random): Promise<void> => {
  const writes = rows.map(({ traceId: id, incarnation }) => {
    const success = someScore({
      project_id: project,
      trace_id: id,
      name: "task_completion",
      value: String(random.below(101) / 100),
    });
    const Key = newestKey({ project, target: "trace", id, incarnation }, success.name);
    return {
      PutRequest: { Item: { ...Key, ...packNewest(success.name, { success, failure: null }), g: randomUUID() } },
    };
  });
  const groups = Array.from({ length: Math.ceil(writes.length / 1000) }, (_, group) =>
    writes.slice(group * 1000, (group + 1) * 1000),
  );
  await sideBySide(groups, 8, (group) => batchWrite(database, "aggregates", group));
};

const fill = async (database: Database, count: number, seed: number): Promise<string> => {
  const [project, random] = [randomUUID(), seeded(seed)];
  const step = thirtyDays / count;
  const rows = Array.from({ length: count }, (_, index) => generateRow(random, Math.floor(firstStart + index * step)));
  await writeRows(database, project, rows);
  await score(database, project, rows, random);
  return project;
};

/** Each filter as it is asked, and beside others. */
const asked: readonly (readonly [string, TraceFilters])[] = [
  ["has_error", { has_error: true }],
  ["min_latency_ms", { min_latency_ms: 20_000 }],
  ["min_cost", { min_cost: 0.002 }],
  ["max_tokens", { max_tokens: 5_000 }],
  ["model", { model: "gpt-5.4-mini" }],
  ["tool", { tool: "search" }],
  ["release", { release: "2026.10.3" }],
  ["environment", { environment: "production" }],
  ["has_session", { has_session: false }],
  ["metadata", { metadata: { tier: "gold" } }],
  ["score", { score: ["task_completion<0.5"] }],
  ["no_score", { no_score: ["task_completion"] }],
  ["two names of scores", { score: ["task_completion<0.5"], no_score: ["confidence"] }],
  ["score of what failed (5 of 100)", { status: "ERROR", score: ["task_completion<0.5"] }],
];

/** Measures what lists cost with each filter: read units and requests, which no machine changes. */
export const benchFilters = async (sizes: readonly number[], seed: number): Promise<void> => {
  const database = await startDatabase();
  const spent = countCapacity(database);
  const table = new Table({
    head: ["asked", "traces", "found", "read units", "requests"],
    style: { head: [], border: [] },
    colAligns: ["left", "right", "right", "right", "right"],
  });
  for (const size of sizes) {
    const project = await fill(database, size, seed);
    const [list, ready, scores] = [
      scoredTraceList(database),
      readyFilters(database),
      includedScores(database, "trace"),
    ];
    const page = { order: "desc", limit: 50, offset: 0 } as const;
    const measure = async (what: string, work: () => Promise<number>): Promise<void> => {
      spent();
      const found = await work();
      const { read, calls } = spent();
      table.push([what, size, found, read, calls]);
    };
    for (const [what, filters] of asked) {
      await measure(what, async () => {
        const filter = await ready.traces(project, filters);
        return (await list.list(project, { ...page, filter, sortBy: "cost" })).total;
      });
    }
    await measure("all, by score", async () => {
      const filter = await ready.traces(project, {}, ["task_completion"]);
      const query = { ...page, filter, sortBy: "score", sortScore: "task_completion" } as const;
      return (await list.list(project, query)).total;
    });
    await measure("default page with its scores", async () => {
      const filter = await ready.traces(project, {});
      const { rows } = await list.list(project, { ...page, filter, sortBy: "started_at" });
      const lives = rows.map(({ traceId: id, incarnation }) => ({ id, incarnation }));
      return (await scores(project, lives)).flat().length;
    });
    await measure("analytics of one release", async () => {
      const filter = await ready.traces(project, { release: "2026.10.3" });
      let traces = 0;
      for await (const { figures } of filteredAnalytics(database).figures(project, filter)) traces += figures.traces;
      return traces;
    });
  }
  await database.close();
  console.log(table.toString());
};
