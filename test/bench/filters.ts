import Table from "cli-table3";
import { randomUUID } from "node:crypto";
import { cpus, loadavg } from "node:os";
import { mapConcurrently } from "../../lib/async/concurrency.ts";
import { Refusal } from "../../lib/domain/refusal.ts";
import type { ScoreFilters } from "../../lib/domain/scores/filter.ts";
import { sessionSortColumns } from "../../lib/domain/sessions/session.ts";
import type { TraceFilters } from "../../lib/domain/traces/filter.ts";
import type { TraceRow } from "../../lib/domain/traces/row.ts";
import { userSortColumns } from "../../lib/domain/traces/user-summary.ts";
import { batchWrite } from "../../lib/dynamo/batches.ts";
import type { Database } from "../../lib/dynamo/database.ts";
import { countedScores } from "../../lib/handlers/scores/counted-scores.ts";
import { filteredAnalytics } from "../../lib/store/hours/filtered-analytics.ts";
import { includedScoreReader } from "../../lib/store/scores/newest/included.ts";
import { filterResolver } from "../../lib/store/scores/newest/filter-resolver.ts";
import { scoredSessionList } from "../../lib/store/scores/newest/scored-sessions.ts";
import { scoredTraceList } from "../../lib/store/scores/newest/scored-traces.ts";
import { newestValues } from "../../lib/store/scores/newest/values.ts";
import { newestKey, packNewest } from "../../lib/store/scores/newest/newest-codec.ts";
import { traceScoreKind } from "../../lib/store/scores/kind.ts";
import { traceScoreList } from "../../lib/store/scores/of-trace.ts";
import { userList } from "../../lib/store/traces/lists/users.ts";
import { startDatabase } from "../support/database/database.ts";
import { type Random, seeded } from "../support/random.ts";
import { writeScores } from "../support/score-items.ts";
import { someScore } from "../support/scores.ts";
import { generateRow } from "../support/traces/generate-row.ts";
import { writeRows } from "../support/traces/rows.ts";
import { countCapacity } from "./capacity.ts";
import { median } from "./median.ts";

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
      PutRequest: {
        Item: {
          ...Key,
          ...packNewest(success.name, { person: success, program: null, failure: null }),
          g: randomUUID(),
        },
      },
    };
  });
  const groups = Array.from({ length: Math.ceil(writes.length / 1000) }, (_, group) =>
    writes.slice(group * 1000, (group + 1) * 1000),
  );
  await mapConcurrently(groups, 8, (group) => batchWrite(database, "aggregates", group));
  await writeScores(
    database,
    rows.map(({ traceId: trace_id, startedAt: created_at }) =>
      someScore({
        project_id: project,
        trace_id,
        value: String(random.below(101) / 100),
        metadata: { success: random.chance(0.5) },
        trace_version: 1,
        created_at,
      }),
    ),
    { incarnations: new Map(rows.map(({ traceId, incarnation }) => [traceId, incarnation])) },
  );
};

const fill = async (database: Database, count: number, seed: number): Promise<string> => {
  const [project, random] = [randomUUID(), seeded(seed)];
  const step = thirtyDays / count;
  const rows = Array.from({ length: count }, (_, index) => generateRow(random, Math.floor(firstStart + index * step)));
  await writeRows(database, project, rows);
  await score(database, project, rows, random);
  return project;
};

/** Trace filters, alone and combined. */
const filterCases: readonly (readonly [string, TraceFilters])[] = [
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

/** Score filters. */
const scoreFilterCases: readonly (readonly [string, ScoreFilters])[] = [
  ["min_value, max_value", { min_value: 0.1, max_value: 0.4 }],
  ["success", { success: true }],
  ["source", { source: "ANNOTATION" }],
  ["judge", { judge: "0123456789ab" }],
  ["model", { model: "gpt-5.4-mini" }],
  ["applicable", { applicable: true }],
  ["stale", { stale: false }],
  ["name", { name: "task_completion" }],
];

/** Measured cost of one list. */
interface Figure {
  readonly listName: string;
  readonly size: number;
  /** Number of matches; null if the list was refused because it would read too much. */
  readonly matches: number | null;
  readonly read: number;
  readonly calls: number;
  readonly ms: number;
}

const repetitions = 3;

/** A table with one line per list and columns for the sizes. */
const printed = (figures: readonly Figure[], sizes: readonly number[]): string => {
  const table = new Table({
    head: ["asked", ...sizes.map((size) => `${size}: found, units, requests, ms`)],
    style: { head: [], border: [] },
  });
  for (const [listName, figuresOfList] of Map.groupBy(figures, (figure) => figure.listName)) {
    const cells = sizes.map((size) => figuresOfList.find((figure) => figure.size === size));
    table.push([
      listName,
      ...cells.map((cell) => (cell ? [cell.matches ?? "refused", cell.read, cell.calls, cell.ms].join(", ") : "")),
    ]);
  }
  return table.toString();
};

type Measure = (listName: string, work: () => Promise<number>) => Promise<void>;

const page = { order: "desc", limit: 50, offset: 0, after: null } as const;
const name = "task_completion";

const measureTraces = async (database: Database, project: string, measure: Measure): Promise<void> => {
  const [traces, ready, scores] = [
    scoredTraceList(database),
    filterResolver(database),
    includedScoreReader(database, "trace"),
  ];
  for (const [listName, filters] of filterCases) {
    await measure(`traces: ${listName}`, async () => {
      const filter = await ready.traces(project, filters);
      return (await traces.list(project, { ...page, filter, sortBy: "cost" })).total;
    });
  }
  for (const sortBy of ["cost", "tokens", "latency", "errors", "name"] as const) {
    await measure(`traces by ${sortBy}`, async () => {
      const filter = await ready.traces(project, {});
      return (await traces.list(project, { ...page, filter, sortBy })).total;
    });
  }
  await measure("traces by score", async () => {
    const filter = await ready.traces(project, {}, [name]);
    return (await traces.list(project, { ...page, filter, sortBy: "score", sortScore: name })).total;
  });
  await measure("traces: a default page with its scores", async () => {
    const filter = await ready.traces(project, {});
    const { rows } = await traces.list(project, { ...page, filter, sortBy: "started_at" });
    const lives = rows.map(({ traceId: id, incarnation }) => ({ id, incarnation }));
    return (await scores(project, lives)).flat().length;
  });
  await measure("analytics of one release", async () => {
    const filter = await ready.traces(project, { release: "2026.10.3" });
    let matchCount = 0;
    for await (const { figures } of filteredAnalytics(database).figures(project, filter)) matchCount += figures.traces;
    return matchCount;
  });
};

const measureGroups = async (database: Database, project: string, measure: Measure): Promise<void> => {
  const [sessions, ready] = [scoredSessionList(database), filterResolver(database)];
  const users = userList(database, Date.now, undefined, undefined, newestValues(database, "trace"));
  for (const sortBy of sessionSortColumns) {
    await measure(`sessions by ${sortBy}`, async () => {
      const filter = await ready.sessions(project, {});
      return (await sessions(project, { ...page, filter, sortBy })).total;
    });
  }
  await measure("sessions: min_cost, model", async () => {
    const filter = await ready.sessions(project, { min_cost: 0.002, model: "gpt-5.4-mini" });
    return (await sessions(project, { ...page, filter, sortBy: "cost" })).total;
  });
  await measure("sessions by score", async () => {
    const filter = await ready.sessions(project, {}, [name]);
    return (await sessions(project, { ...page, filter, sortBy: "score", sortScore: name })).total;
  });
  for (const sortBy of userSortColumns) {
    await measure(`users by ${sortBy}`, async () => {
      const filter = await ready.traces(project, {});
      return (await users(project, 50, 0, null, { filter, sortBy, order: "desc" })).total;
    });
  }
  await measure("users: score", async () => {
    const filter = await ready.traces(project, { score: [`${name}<0.5`] });
    return (await users(project, 50, 0, null, { filter, sortBy: "cost", order: "desc" })).total;
  });
};

const measureScores = async (database: Database, project: string, measure: Measure): Promise<void> => {
  const [list, counted] = [traceScoreList(database), countedScores(database, traceScoreKind)];
  for (const groups of [["release"], ["release", "judge"]]) {
    await measure(`figures of scores by ${groups.join(" and ")}`, async () => {
      const { read } = counted({ id: project, metadata_keys: [] }, { group_by: groups }, () => undefined);
      return (await read({ name }))?.units.length ?? 0;
    });
  }
  for (const [listName, filter] of scoreFilterCases) {
    await measure(`scores: ${listName}`, async () => (await list.page(project, filter, 50, 0)).total);
  }
  await measure("scores by value", async () => {
    const byValue = { sortBy: "value", order: "asc" } as const;
    return (await list.page(project, {}, 50, 0, null, byValue)).total;
  });
};

/** Number of matches of a list; null if it was refused. */
const countMatches = async (work: () => Promise<number>): Promise<number | null> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
};

/**
 * Measures lists with each filter and order: read units and requests of the last repetition, which do not depend on the
 * machine, and the median duration, which does.
 */
export const benchFilters = async (sizes: readonly number[], seed: number): Promise<void> => {
  const database = await startDatabase();
  const spent = countCapacity(database);
  const figures: Figure[] = [];
  for (const size of sizes) {
    const project = await fill(database, size, seed);
    const measure: Measure = async (listName, work) => {
      const times: number[] = [];
      let firstUnits: number | null = null;
      for (let repetition = 0; repetition < repetitions; repetition += 1) {
        spent();
        const before = performance.now();
        firstUnits = await countMatches(work);
        times.push(performance.now() - before);
      }
      const { read, calls } = spent();
      figures.push({ listName: listName, size, matches: firstUnits, read, calls, ms: Math.round(median(times)) });
    };
    await measureTraces(database, project, measure);
    await measureGroups(database, project, measure);
    await measureScores(database, project, measure);
    console.log(
      `${size} rows; load ${loadavg()
        .map((load) => load.toFixed(1))
        .join(" ")} on ${cpus().length} cores`,
    );
  }
  await database.close();
  console.log(printed(figures, sizes));
};
