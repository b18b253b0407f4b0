/**
 * `npm run bench`: what storage costs and how long it takes, on a real DynamoDB protocol server on this machine.
 *
 * Capacity units are the server's own figures and repeatable; times are this machine's.
 *
 *     npm run bench -- [--seed 1] [--traces FILE.ndjson.gz] [--rows 1000,10000]
 */
import Table from "cli-table3";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { createTrace } from "../../lib/contract/traces.ts";
import { identified } from "../../lib/domain/identify-trace.ts";
import { dayOf } from "../../lib/domain/instant.ts";
import type { IdentifiedTrace } from "../../lib/domain/merge-trace.ts";
import { traceFilter } from "../../lib/domain/trace-filter.ts";
import { traceCounts } from "../../lib/store/trace-counts.ts";
import { traceList } from "../../lib/store/trace-list.ts";
import { traceReader } from "../../lib/store/trace-reader.ts";
import { traceStore } from "../../lib/store/traces.ts";
import { parse } from "valibot";
import { startDatabase } from "../support/database.ts";
import { countCapacity } from "./capacity.ts";
import { generateTrace } from "./generate-trace.ts";
import { seeded } from "../support/random.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    traces: { type: "string" },
    rows: { type: "string", default: "1000,10000" },
  },
});

const firstStart = Date.UTC(2026, 9, 1);
const hour = 3_600_000;

const canonical = (): readonly IdentifiedTrace[] => {
  const random = seeded(Number(values.seed)).next;
  if (values.traces === undefined) {
    return Array.from({ length: 60 }, (_, index) => generateTrace(random, String(index), firstStart + index * hour));
  }
  const text = gunzipSync(readFileSync(values.traces)).toString("utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => identified(parse(createTrace.body, JSON.parse(line)), () => randomUUID()));
};

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

const database = await startDatabase();
const spent = countCapacity(database);
const traces = traceStore(database, 0);
const table = new Table({ head: ["figure", "n", "units", "ms (median)"], style: { head: [], border: [] } });

/** Does one thing to each item. @returns units and median milliseconds for one. */
const measure = async <Item>(
  figure: string,
  unit: "read" | "write",
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
) => {
  spent();
  const times: number[] = [];
  for (const item of items) {
    const from = performance.now();
    await work(item);
    times.push(performance.now() - from);
  }
  table.push([figure, items.length, (spent()[unit] / items.length).toFixed(2), median(times).toFixed(1)]);
};

const project = randomUUID();
const sample = canonical();
const [first] = sample;
if (first === undefined) throw new Error("There are no traces to measure with.");
const bytes = sample.map((trace) => Buffer.byteLength(JSON.stringify(trace)));
console.log(`seed ${values.seed}; ${sample.length} traces of ${Math.round(median(bytes) / 1024)} KiB (median)`);

// A day is listed once for all of its traces: not the ingest's own.
await Promise.all(
  [...new Set(sample.map(({ started_at: at }) => dayOf(at)))].map((day) =>
    traces.save(project, {
      ...first,
      trace_id: randomUUID(),
      started_at: `${day}T00:00:00+00:00`,
      spans: [],
    }),
  ),
);
await measure("ingest of a trace, write units", "write", sample, (trace) => traces.save(project, trace));
await measure("the same trace again, write units", "write", sample, (trace) => traces.save(project, trace));
await measure("detail, strongly read, read units", "read", sample, (trace) =>
  traceReader(database).get(project, trace.trace_id),
);

for (const rows of values.rows.split(",").map(Number)) {
  const crowd = randomUUID();
  const small = { ...first, spans: [], input: "?", output: "!" };
  const queue = Array.from({ length: rows }, (_, index) => index);
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let index = queue.pop(); index !== undefined; index = queue.pop()) {
        const started = new Date(firstStart + index * ((30 * 24 * hour) / rows)).toISOString();
        await traces.save(crowd, { ...small, trace_id: randomUUID(), started_at: `${started.slice(0, -1)}000+00:00` });
      }
    }),
  );
  const changes = Array.from({ length: rows }, (_, index) => ({
    project: crowd,
    day: "2026-10-01",
    change: 1 as const,
    sequence: BigInt(index + 1),
  }));
  await traceCounts(database).fold("shard", changes);
  const list = traceList(database);
  const ten = Array.from({ length: 10 });
  await measure(`default page of 50 of ${rows} traces, read units`, "read", ten, () => list.page(crowd, 50, 0));
  await measure(`snapshot of all ${rows} traces for a run, read units`, "read", ten.slice(0, 3), () =>
    list.matching(crowd, traceFilter({})),
  );
}
console.log(table.toString());
await database.close();
