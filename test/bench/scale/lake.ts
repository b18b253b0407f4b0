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
import { PackedTrace } from "../../../lib/store/traces/packed-trace.ts";
import { packRow } from "../../../lib/store/traces/row-codec.ts";
import { rowKey } from "../../../lib/store/traces/keys.ts";
import { seeded } from "../../support/random.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { prices } from "../../vitals/prices.ts";

const days = 30;
const firstStart = Date.UTC(2026, 9, 1);
/** Processors of the function that reads and writes files, by AWS's documentation: 1 for 1,769 MB. */
const processors = 3008 / 1769;
/** Gigabytes of the functions that list and that read files, and read units of the rows of a page of 50, manifests and marks. */
const [gigabytesOfList, gigabytesOfReader, readUnits] = [1769 / 1024, 3008 / 1024, 50];

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
    for (const [key, packed] of items) files[0]?.add(lakeTraceRow(new PackedTrace(key, packed), names, null));
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
      const key = `traces/${day}.parquet`;
      mkdirSync(join(folder, "bucket", "traces"), { recursive: true });
      copyFileSync(join(folder, "traces.parquet"), join(folder, "bucket", key));
      return {
        day: new Date(firstStart + (days - day) * 86_400_000).toISOString().slice(0, 10),
        traces: key,
        scores: null,
        changed: [],
      };
    });
    const megabytes = (statSync(join(folder, "traces.parquet")).size * days) / 1e6;
    console.log(
      `${rows} traces of ${days} days, ${megabytes.toFixed(0)} MB; writer: ${(written.cpu / million).toFixed(1)} CPU s a million (aim 20), $${((written.cpu / million / processors) * gigabytesOfReader * prices.functionTime).toFixed(4)} (aim 0.01)`,
    );
    // By a clock that stands, so that no list is cut.
    const look = traceLookup(
      fileCopies(folderStore(join(folder, "bucket")), join(folder, "copies")),
      engine,
      () => firstStart,
    );
    const table = new Table({ head: ["list", "matches", "CPU s", "wall s", "$ (aim 0.0003)"] });
    const page = { limit: 51, after: null, days: lists, order: sortOrders[0] };
    const requests: Readonly<Record<string, Omit<TraceLookup, keyof typeof page>>> = {
      "two filters by cost, copying files": { filters: { status: "ERROR", tags: ["eu"] }, sortBy: "cost" },
      "two filters by cost": { filters: { status: "ERROR", tags: ["eu"] }, sortBy: "cost" },
      "two filters, newest first": { filters: { status: "ERROR", tags: ["eu"] }, sortBy: "started_at" },
      "name, by latency": { filters: { name: "agent" }, sortBy: "latency" },
    };
    for (const [name, request] of Object.entries(requests)) {
      let total = 0;
      const { wall, cpu } = await timed(async () => ({ total } = await look({ ...page, ...request })));
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
