import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { documentFolding } from "../../../lib/store/remains/document-folding.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { dynamoDbLimits, partitions } from "../../support/faults/partitions.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { scaleMeter } from "./scale-meter.ts";

/** Of one piece, and how often somebody adds a span meanwhile, milliseconds. */
const [pieceBytes, writerMilliseconds] = [768 * 1024, 500];

const hour = 3_600_000;

/** Nothing is saved up but what a partition gives in a second. */
const limits = { ...dynamoDbLimits, burst: 1 };

const span = (input: string) => ({
  span_id: randomUUID(),
  name: "step",
  started_at: "2026-10-01T10:00:00+00:00",
  input,
});

/** Pieces of a large document that are put together while a writer adds to it, on a partition of 1,000 write units a second. Modelled. */
export const benchMerging = async (megabytes: number): Promise<void> => {
  const database = await startDatabase();
  const [project, trace] = [randomUUID(), someTrace()];
  let [isFilled, throttled] = [false, 0];
  // What is filled in has been paid for by then.
  const decide = partitions(() => Date.now() + (isFilled ? hour : 0), limits);
  const narrow = faultyDatabase(database, (call) => {
    const fault = decide(call);
    if (!isFilled || fault === null) return null;
    throttled += 1;
    return fault;
  });
  const writer = traceStore(narrow, 0);
  await writer.save(project, trace);
  for (let bytes = 0; bytes < megabytes * 1024 * 1024; bytes += pieceBytes)
    await writer.addSpans(project, trace.trace_id, [span(randomBytes((pieceBytes * 3) / 4).toString("base64"))]);
  isFilled = true;

  const measure = scaleMeter(narrow, `${megabytes} MB`);
  const [times, state] = [[0], { refused: 0, ended: false }];
  const write = async (): Promise<void> => {
    while (!state.ended) {
      const begun = performance.now();
      await writer.addSpans(project, trace.trace_id, [span("Anything new?")]).catch(() => (state.refused += 1));
      times.push(performance.now() - begun);
      await wait(writerMilliseconds);
    }
  };
  const written = write();
  const piecesNow = async (): Promise<number> =>
    (await traceReader(database).locate(project, trace.trace_id))?.row.pieces.length ?? 0;
  const before = await piecesNow();
  await measure("pieces put together beside a writer", async () => {
    const far = Number.POSITIVE_INFINITY;
    const isDone = await documentFolding(narrow)
      .tidy(project, trace.trace_id, far, false)
      .finally(() => (state.ended = true));
    await written;
    const slowest = Math.round(Math.max(...times));
    const pieces = `${before} to ${await piecesNow()} pieces`;
    const writes = `${times.length - 1} writes, the slowest ${slowest} ms, ${state.refused} refused`;
    return `${isDone ? "done" : "left"}, ${pieces}; ${writes}; ${throttled} calls throttled`;
  });
  await database.close();
};
