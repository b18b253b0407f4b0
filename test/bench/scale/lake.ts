import * as v from "valibot";
import Table from "cli-table3";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sortOrders } from "../../../lib/domain/list-order.ts";
import { sha256Of } from "../../../lib/lake/checksum.ts";
import { writeDayFiles } from "../../../lib/lake/day-files.ts";
import { openEngine } from "../../../lib/lake/engine.ts";
import { fileCopies } from "../../../lib/lake/file-copies.ts";
import { folderStore } from "../../../lib/lake/folder.ts";
import { lineFile } from "../../../lib/lake/line-file.ts";
import { traceLookup, type TraceLookup } from "../../../lib/lake/trace-lookup.ts";
import { lakeTraceRow } from "../../../lib/lake/trace-row.ts";
import { lakeScoreRow } from "../../../lib/lake/score-row.ts";
import { type TargetLookup, targetLookup, targetsOfFiles } from "../../../lib/lake/target-lookup.ts";
import { PackedTrace } from "../../../lib/store/traces/packed-trace.ts";
import { packRow } from "../../../lib/store/traces/row-codec.ts";
import { rowKey } from "../../../lib/store/traces/keys.ts";
import { seeded } from "../../support/random.ts";
import { someScore } from "../../support/scores.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { prices } from "../../vitals/prices.ts";

const days = 30;
const firstStart = Date.UTC(2026, 9, 1);
/** Processors of the function that reads and writes files, by AWS's documentation: 1 for 1,769 MB. */
const processors = 3008 / 1769;
/** Gigabytes of the functions that list and that read files, and read units of the rows of a page of 50, manifests and marks. */
const [gigabytesOfList, gigabytesOfReader, readUnits] = [1769 / 1024, 3008 / 1024, 50];

/** Traces for each one with a score: so many that a lookup of ten million traces can answer with all of them. */
const tracesOfScore = 200;

interface Work {
  readonly wall: number;
  readonly cpu: number;
}

/** Seconds of wall clock and of CPU that some work takes. */
const timed = async (work: () => Promise<unknown>): Promise<Work> => {
  const [from, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wall: (performance.now() - from) / 1e3, cpu: (user + system) / 1e6 };
};

/** Writes the files of one generated day, and measures what the writer does with rows that it has read. */
const writeDay = async (engine: Awaited<ReturnType<typeof openEngine>>, rows: number, seed: number, folder: string) => {
  const random = seeded(seed);
  const items = Array.from({ length: rows }, (_, index) => {
    const row = generateRow(random, firstStart + Math.floor((index * 86_400_000) / rows));
    return [rowKey("", row.traceId, row).sk, packRow(row)] as const;
  });
  const lines = { traces: join(folder, "traces.ndjson"), scores: join(folder, "scores.ndjson") };
  const names = { models: new Map([[1, "model"]]), tools: new Map<number, string>() };
  return await timed(async () => {
    const files = [lineFile(lines.traces), lineFile(lines.scores)];
    for (const [index, [key, packed]] of items.entries()) {
      const trace = new PackedTrace(key, packed);
      files[0]?.add(lakeTraceRow(trace, names, null));
      if (index % tracesOfScore === 0)
        files[1]?.add(lakeScoreRow(someScore({ project_id: "", trace_id: trace.traceId }), trace.traceId));
    }
    for (const file of files) file.close();
    await writeDayFiles(engine, lines, null, folder);
    await sha256Of(join(folder, "traces.parquet"));
  });
};

/**
 * Measures lists of traces from files of thirty days, and the writing of such a day: CPU seconds of this machine, and dollars of AWS for
 * functions whose processors are as fast.
 *
 * @param rows traces of all days.
 */
export const benchLake = async (rows: number, seed: number): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-lake-"));
  const settings = { packagePath: join(import.meta.dirname, "../..", "/"), directory: folder, memoryMegabytes: 1_000 };
  const engine = await openEngine({ ...settings, threads: 2 });
  try {
    const written = await writeDay(engine, Math.ceil(rows / days), seed, folder);
    const million = (rows / days) * 1e-6;
    const lists: TraceLookup["days"] = Array.from({ length: days }, (_, day) => {
      const [key, scoreKey] = [`days/${day}.traces`, `days/${day}.scores`];
      mkdirSync(join(folder, "bucket", "days"), { recursive: true });
      copyFileSync(join(folder, "traces.parquet"), join(folder, "bucket", key));
      copyFileSync(join(folder, "scores.parquet"), join(folder, "bucket", scoreKey));
      return {
        day: new Date(firstStart + (days - day) * 86_400_000).toISOString().slice(0, 10),
        traces: key,
        scores: scoreKey,
        changed: [],
      };
    });
    const megabytes = (statSync(join(folder, "traces.parquet")).size * days) / 1e6;
    console.log(
      `${rows} traces of ${days} days, ${megabytes.toFixed(0)} MB; writer: ${(written.cpu / million).toFixed(1)} CPU s a million (aim 20), $${((written.cpu / million / processors) * gigabytesOfReader * prices.functionTime).toFixed(4)} (aim 0.01)`,
    );
    // By a clock that stands, so that no list is cut.
    const copies = fileCopies(folderStore(join(folder, "bucket")), join(folder, "copies"));
    const look = traceLookup(copies, engine, () => firstStart);
    const table = new Table({ head: ["list", "matches", "CPU s", "wall s", "$ (aim 0.0003)"] });
    const page = { limit: 51, after: null, days: lists, order: sortOrders[0] };
    const requests: Readonly<Record<string, Omit<TraceLookup, keyof typeof page>>> = {
      "two filters by cost, copying files": { filters: { status: "ERROR", tags: ["eu"] }, sortBy: "cost" },
      "two filters by cost": { filters: { status: "ERROR", tags: ["eu"] }, sortBy: "cost" },
      "two filters, newest first": { filters: { status: "ERROR", tags: ["eu"] }, sortBy: "started_at" },
      "name, by latency": { filters: { name: "agent" }, sortBy: "latency" },
    };
    const groups: TargetLookup = {
      days: lists,
      filters: {},
      target: "trace",
      dimensions: ["release", "tag"],
      scored: {},
    };
    const findTargets = targetLookup(copies, engine, () => firstStart);
    const works: Readonly<Record<string, () => Promise<number>>> = {
      ...Object.fromEntries(
        Object.entries(requests).map(([name, request]) => [
          name,
          async () => (await look({ ...page, ...request })).total,
        ]),
      ),
      "traces with scores by two groups": async () => v.parse(targetsOfFiles, await findTargets(groups))?.length ?? 0,
    };
    for (const [name, work] of Object.entries(works)) {
      let total = 0;
      const { wall, cpu } = await timed(async () => void (total = await work()));
      const seconds = (cpu / processors) * (gigabytesOfList + gigabytesOfReader);
      const dollars =
        seconds * prices.functionTime +
        2 * (prices.functionCalls / 1e6) +
        (readUnits * prices.readUnits.STANDARD) / 1e6;
      table.push([name, total, cpu.toFixed(2), wall.toFixed(2), dollars.toFixed(6)]);
    }
    console.log(String(table));
  } finally {
    engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
