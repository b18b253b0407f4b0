/**
 * Measures the cost of lists as a project grows: `npm run bench`, or separately
 *     node test/bench/lists.ts [--seed 1] [--rows 1000,10000,100000]
 */
import Table from "cli-table3";
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { sessionFilter } from "../../lib/domain/sessions/filter.ts";
import { traceFilter } from "../../lib/domain/traces/filter.ts";
import type { Database } from "../../lib/dynamo/database.ts";
import { sessionList } from "../../lib/store/sessions/list.ts";
import { traceCounts } from "../../lib/store/traces/counts.ts";
import { traceList } from "../../lib/store/traces/lists/list.ts";
import { userList } from "../../lib/store/traces/lists/users.ts";
import { startDatabase } from "../support/database/database.ts";
import { generateRow } from "../support/traces/generate-row.ts";
import { seeded } from "../support/random.ts";
import { writeRows } from "../support/traces/rows.ts";
import { countCapacity } from "./capacity.ts";

const firstStart = Date.UTC(2026, 9, 1);
const thirtyDays = 30 * 86_400_000;
const repetitions = 5;

/** Measurements of one list at one size. */
interface Figure {
  readonly list: string;
  readonly rows: number;
  readonly readUnits: number;
  readonly ms: readonly [least: number, median: number, most: number];
  readonly cpuMs: number;
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

/** Creates a project with traces of thirty days. */
const fill = async (database: Database, rows: number, seed: number): Promise<string> => {
  const [project, random] = [randomUUID(), seeded(seed)];
  const step = thirtyDays / rows;
  await writeRows(
    database,
    project,
    Array.from({ length: rows }, (_, index) => generateRow(random, Math.floor(firstStart + index * step))),
  );
  const change = { project, expiry: "-", change: 1 as const };
  const changes = Array.from({ length: rows }, (_, index) => ({ ...change, sequence: BigInt(index + 1) }));
  await traceCounts(database).fold("shard", changes);
  return project;
};

const listsOf = (database: Database, project: string): readonly (readonly [string, () => Promise<unknown>])[] => {
  const traces = traceList(database);
  const page = { limit: 50, offset: 0, order: "desc" as const };
  const [allTraces, failedTraces] = [traceFilter({}), traceFilter({ status: "ERROR", name: "agent" })];
  return [
    ["default page of 50 with total", () => traces.list(project, { ...page, filter: allTraces, sortBy: "started_at" })],
    ["filtered and sorted", () => traces.list(project, { ...page, filter: failedTraces, sortBy: "latency" })],
    ["sessions by cost", () => sessionList(database)(project, { ...page, filter: sessionFilter({}), sortBy: "cost" })],
    ["users", () => userList(database)(project, 50, 0)],
  ];
};

/** Measures every list at every size. */
const measureLists = async (sizes: readonly number[], seed: number): Promise<readonly Figure[]> => {
  const database = await startDatabase();
  const spent = countCapacity(database);
  const figures: Figure[] = [];
  for (const rows of sizes) {
    const project = await fill(database, rows, seed);
    for (const [list, readPage] of listsOf(database, project)) {
      await readPage();
      spent();
      const times: number[] = [];
      const before = process.cpuUsage();
      for (let time = 0; time < repetitions; time += 1) {
        const from = performance.now();
        await readPage();
        times.push(performance.now() - from);
      }
      const { user, system } = process.cpuUsage(before);
      figures.push({
        list,
        rows,
        readUnits: spent().read / repetitions,
        ms: [Math.min(...times), median(times), Math.max(...times)],
        cpuMs: (user + system) / 1000 / repetitions,
      });
    }
  }
  await database.close();
  return figures;
};

const tableOf = (figures: readonly Figure[]): string => {
  const head = ["list", "traces", "read units", "per trace", "ms: median (least to most)", "CPU ms"];
  const table = new Table({ head, style: { head: [], border: [] }, colAligns: ["left", "right", "right", "right"] });
  for (const { list, rows, readUnits, ms, cpuMs } of figures) {
    const [minTime, medianTime, maxTime] = ms.map((time) => time.toFixed(time < 10 ? 1 : 0));
    const perTrace = (readUnits / rows).toFixed(4);
    table.push([
      list,
      rows,
      readUnits.toFixed(1),
      perTrace,
      `${medianTime} (${minTime} to ${maxTime})`,
      cpuMs.toFixed(0),
    ]);
  }
  return table.toString();
};

const width = 60;

/** Logarithmic bars of the median durations; equal bars mean that a list does not slow down. */
const plotOf = (figures: readonly Figure[]): string => {
  const longest = Math.log10(Math.max(...figures.map(({ ms }) => ms[1]), 10));
  const lines = figures.map(({ list, rows, ms: [, time] }) => {
    const bar = "█".repeat(Math.max(1, Math.round((Math.log10(Math.max(time, 1)) / longest) * width)));
    return `${list.padEnd(30)} ${String(rows).padStart(7)} ${bar} ${time.toFixed(time < 10 ? 1 : 0)} ms`;
  });
  return ["Median time, logarithmic:", ...lines].join("\n");
};

/** Measures lists and prints their costs. */
export const benchLists = async (sizes: readonly number[], seed: number): Promise<void> => {
  const figures = await measureLists(sizes, seed);
  console.log(`${tableOf(figures)}\n\n${plotOf(figures)}`);
};

if (import.meta.main) {
  const { values } = parseArgs({
    options: { seed: { type: "string", default: "1" }, rows: { type: "string", default: "1000,10000,100000" } },
  });
  await benchLists(values.rows.split(",").map(Number), Number(values.seed));
}
