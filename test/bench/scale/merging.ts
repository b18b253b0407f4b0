import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { documentMerging } from "../../../lib/store/garbage/document-merging.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { dynamoDbLimits, partitions } from "../../support/faults/partitions.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { scaleMeter } from "./scale-meter.ts";

/** Bytes of a document piece, and milliseconds between the writer's additions. */
const [pieceBytes, writerMilliseconds] = [768 * 1024, 500];

const hour = 3_600_000;

/** Partition limits without burst capacity. */
const limits = { ...dynamoDbLimits, burst: 1 };

const span = (input: string) => ({
  span_id: randomUUID(),
  name: "step",
  started_at: "2026-10-01T10:00:00+00:00",
  input,
});

/**
 * Models merging the pieces of a large document while a writer adds spans, on a partition of 1,000 write units per
 * second.
 */
export const benchMerging = async (megabytes: number): Promise<void> => {
  const database = await startDatabase();
  const [project, trace] = [randomUUID(), someTrace()];
  let [isFilled, throttled] = [false, 0];
  // Skips ahead, so that the initial writes use no capacity.
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
      const startedAt = performance.now();
      await writer.addSpans(project, trace.trace_id, [span("Anything new?")]).catch(() => (state.refused += 1));
      times.push(performance.now() - startedAt);
      await wait(writerMilliseconds);
    }
  };
  const writing = write();
  const piecesNow = async (): Promise<number> =>
    (await traceReader(database).locate(project, trace.trace_id))?.row.pieces.length ?? 0;
  const before = await piecesNow();
  await measure("pieces put together beside a writer", async () => {
    const far = Number.POSITIVE_INFINITY;
    const isDone = await documentMerging(narrow)
      .mergeBacklog(project, trace.trace_id, far, false)
      .finally(() => (state.ended = true));
    await writing;
    const slowest = Math.round(Math.max(...times));
    const pieces = `${before} to ${await piecesNow()} pieces`;
    const writes = `${times.length - 1} writes, the slowest ${slowest} ms, ${state.refused} refused`;
    return `${isDone ? "done" : "left"}, ${pieces}; ${writes}; ${throttled} calls throttled`;
  });
  await database.close();
};
