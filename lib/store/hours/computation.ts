import { awaitAll, semaphore } from "../../async/concurrency.ts";
import { rollupTally } from "../../domain/analytics/hour-rollup.ts";
import { contributionsOf, type Contribution } from "../../domain/traces/totals.ts";
import type { Database } from "../../dynamo/database.ts";
import { withTraceState } from "../traces/large-documents.ts";
import { partitionIn } from "../traces/keys.ts";
import { traceReader } from "../traces/reader.ts";
import { documentUsageCache } from "./document-usage.ts";
import type { ComputedHour } from "./items.ts";
import type { HourKey } from "./keys.ts";
import { hourRows, type HourRow } from "./rows.ts";

/** Max documents in memory at the same time for all hours that are computed in parallel; each can have 32 MiB. */
const maxDocuments = 4;

/** Max rows per batch, and max rows per batch whose documents must be read: a document's usage can have 10,000 sums. */
const [maxBatchRows, maxBatchDocuments] = [200, 8];

const needsDocument = ({ trace }: HourRow): boolean => trace.contributions === null;

/** Splits rows into batches, in order. */
const rowBatches = async function* (rows: AsyncIterable<HourRow>): AsyncGenerator<readonly HourRow[]> {
  let [batch, neededDocuments]: [HourRow[], number] = [[], 0];
  for await (const row of rows) {
    batch.push(row);
    if (needsDocument(row)) neededDocuments += 1;
    if (batch.length < maxBatchRows && neededDocuments < maxBatchDocuments) continue;
    yield batch;
    [batch, neededDocuments] = [[], 0];
  }
  yield batch;
};

/** Thrown when the deadline of a computation has passed. */
class OutOfTime extends Error {}

/**
 * Returns the function that computes an hour's rollup from the rows of traces, and from a trace's document if its row
 * has no room for the usage of all models.
 */
export const hourComputation = (database: Database, now: () => number) => {
  const rows = hourRows(database);
  const documents = traceReader(database, now);
  const usageCache = documentUsageCache(database, now);
  const limitConcurrency = semaphore(maxDocuments);

  const readDocument = (key: HourKey, row: HourRow, until: number): Promise<readonly Contribution[]> =>
    limitConcurrency(async () => {
      if (now() >= until) throw new OutOfTime();
      const contributions = await withTraceState(documents, key.project, row.trace.traceId, async (state) =>
        contributionsOf(state.kind === "stored" ? state.trace.spans : []),
      );
      await usageCache.store(key, row, contributions);
      return contributions;
    });

  /**
   * Computes the rollup of an hour.
   *
   * @param hadReadDocuments true if the previous computation of the hour read documents.
   * @param until deadline, epoch milliseconds.
   * @returns null when the deadline passed first. The usage of documents read until then is cached, so the next
   *   computation continues from there.
   */
  return async (key: HourKey, hadReadDocuments: boolean, until: number): Promise<ComputedHour | null> => {
    const [tally, at] = [rollupTally(), now()];
    const cachedUsage = usageCache.readerOf(key);
    let [count, hasReadDocuments] = [0, false];

    const contributions = async (batch: readonly HourRow[]): Promise<readonly (readonly Contribution[])[]> => {
      const knownContributions: (readonly Contribution[] | null)[] = [];
      for (const row of batch) knownContributions.push(row.trace.contributions ?? (await cachedUsage.of(row)));
      return await awaitAll(
        batch.map(async (row, index) => knownContributions[index] ?? (await readDocument(key, row, until))),
      );
    };

    try {
      for await (const batch of rowBatches(rows.ofHour(key.project, partitionIn(key.expiry), key.hour, true))) {
        if (now() >= until) return null;
        count += batch.length;
        hasReadDocuments ||= batch.some(needsDocument);
        const expiringRows = batch.filter(({ expiry }) => expiry === key.expiry);
        const usages = await contributions(expiringRows);
        expiringRows.forEach((row, index) => tally.add(row.trace, usages[index] ?? []));
      }
    } catch (error) {
      if (error instanceof OutOfTime) return null;
      throw error;
    }
    if ((hasReadDocuments || hadReadDocuments) && !(await cachedUsage.deleteStale(until))) hasReadDocuments = true;
    return { ...tally.rollup(), rows: count, hasReadDocuments, at };
  };
};
