import { randomUUID } from "node:crypto";
import { dayOf } from "../../lib/domain/instant.ts";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { rateLimits } from "../../lib/store/limits/rate-limits.ts";
import { traceReader } from "../../lib/store/traces/reader.ts";
import { traceRemoval } from "../../lib/store/traces/removal.ts";
import { traceStore } from "../../lib/store/traces/save.ts";
import { startDatabase } from "../support/database/database.ts";
import { countCapacity } from "./capacity.ts";
import { figureTable, measured } from "./figures.ts";

const lateSpan = (trace: IdentifiedTrace) => ({
  span_id: randomUUID(),
  name: "late",
  started_at: trace.started_at,
  input: "?",
});

/** Prints the capacity units of storing and reading one trace, by table and index. */
export const benchStorage = async (sample: readonly IdentifiedTrace[]): Promise<void> => {
  const database = await startDatabase();
  const spent = countCapacity(database);
  const [writeUnits, readUnits] = [() => spent().write, () => spent().read];
  const [project, traces, reader] = [randomUUID(), traceStore(database, 0), traceReader(database)];
  // A day is added to the list of days once for all of its traces, which is not part of the ingestion cost.
  for (const day of new Set(sample.map(({ started_at: at }) => dayOf(at)))) {
    await traces.save(project, { trace_id: randomUUID(), name: "first", started_at: `${day}T00:00:00+00:00` });
  }
  const save = (trace: IdentifiedTrace): Promise<void> => traces.save(project, trace);
  const writes = [
    await measured("ingest of a trace", sample, save, writeUnits, 13.2),
    await measured("the same delivered again", sample, save, writeUnits, 0),
    await measured(
      "a late span",
      sample,
      (trace) => traces.addSpans(project, trace.trace_id, [lateSpan(trace)]),
      writeUnits,
    ),
    await measured(
      "its status patched",
      sample,
      (trace) => traces.change(project, trace.trace_id, { kind: "trace-patch", update: { status: "ERROR" } }),
      writeUnits,
    ),
    await measured(
      "rate limiter, a request",
      sample,
      () => rateLimits(database).count("client", "route", 1e9),
      writeUnits,
    ),
  ];
  const detail = (trace: IdentifiedTrace): Promise<unknown> => reader.get(project, trace.trace_id);
  const otherTraces = sample.map((trace) => ({ ...trace, trace_id: randomUUID() }));
  for (const trace of otherTraces) await save(trace);
  const reads = [
    await measured("detail, strongly read", otherTraces, detail, readUnits, 4),
    await measured("detail with two late pieces", sample, detail, readUnits),
  ];
  const remove = (trace: IdentifiedTrace): Promise<unknown> => traceRemoval(database).remove(project, trace.trace_id);
  writes.push(await measured("its deletion, before the purge", otherTraces, remove, writeUnits));
  console.log(`${figureTable("write units", writes)}\n\n${figureTable("read units", reads)}`);
  await database.close();
};
