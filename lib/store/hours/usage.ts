import type { Hour } from "../../domain/analytics/bucket.ts";
import { mergeByHour } from "../../domain/analytics/group-by-bucket.ts";
import { containsStart, hourRange, containsHour, type HourRange } from "../../domain/analytics/hour-range.ts";
import { usageTally, type ModelUsage } from "../../domain/analytics/model-usage.ts";
import type { HourUsage } from "../../domain/analytics/trace-analytics.ts";
import type { Contribution } from "../../domain/traces/totals.ts";
import type { Instant } from "../../domain/instant.ts";
import { usageOfSpans, usageWithin } from "../../domain/analytics/usage-in-range.ts";
import type { Database } from "../../dynamo/database.ts";
import type { HourKey } from "./keys.ts";
import { isExpiredDay } from "../../dynamo/expiry.ts";
import { hourReader } from "./reader.ts";
import { HourSet, staleHours } from "./hour-set.ts";
import { hourRows } from "./rows.ts";
import { pendingMarkers } from "./pending-markers.ts";
import { withTraceState } from "../traces/large-documents.ts";
import { traceReader } from "../traces/reader.ts";

type Part = Pick<HourRange, "from" | "to">;

/** Max documents read at the same time. */
const maxParallelDocuments = 16;

/**
 * Usage of the spans that started in a range, ascending by hour. It comes from stored sums, from rows for hours whose
 * sums are stale or that the range cuts, and from documents for traces with spans on both sides of a cut. An hour
 * whose rows have expired has only its sums: it counts in the range that contains its start.
 */
export const analyticsUsage = (database: Database, now: () => number = Date.now) => {
  const [rows, stored, pending] = [hourRows(database), hourReader(database), pendingMarkers(database, "hours")];
  const documents = traceReader(database, now);

  /** True if the sums of an hour of spans count as a whole. */
  const isCounted = (range: HourRange, spans: Hour, expiry: string): boolean =>
    containsHour(range, spans) || (containsStart(range, spans) && isExpiredDay(expiry, now()));

  const fromDocument = async (
    project: string,
    trace: string,
    parts: readonly Part[],
  ): Promise<readonly Contribution[]> => {
    return await withTraceState(documents, project, trace, async (state) => {
      const spans = state.kind === "stored" ? state.trace.spans : [];
      return parts.flatMap(({ from, to }) => usageOfSpans(spans, from, to));
    });
  };

  /** Reads the rows that a partition has of the traces that started in an hour, and adds their usage within the given parts of the range. */
  const fromRows = async (
    project: string,
    hour: Hour,
    partition: number,
    partsFor: (expiry: string) => readonly Part[],
    add: (contribution: Contribution) => void,
  ): Promise<void> => {
    const unresolvedTraces: { readonly trace: string; readonly parts: readonly Part[] }[] = [];
    for await (const { trace, expiry } of rows.ofHour(project, partition, hour, false)) {
      const parts = partsFor(expiry);
      const usages = parts.map(({ from, to }) => usageWithin(trace, from, to));
      if (usages.includes(null)) unresolvedTraces.push({ trace: trace.traceId, parts });
      else usages.forEach((part) => part?.forEach(add));
    }
    const remaining = unresolvedTraces.values();
    const work = async (): Promise<void> => {
      for (const { trace, parts } of remaining) (await fromDocument(project, trace, parts)).forEach(add);
    };
    await Promise.all(Array.from({ length: maxParallelDocuments }, work));
  };

  const ofStored = async function* (project: string, range: HourRange, stale: HourSet): AsyncGenerator<HourUsage> {
    for await (const { spans, hour, expiry, usage } of stored.between(project, range.firstAndLast)) {
      if (stale.has(hour, expiry) || !isCounted(range, spans, expiry)) continue;
      yield { hour: spans, usage: (usage() ?? []).flatMap(([, models]) => models) };
    }
  };

  return async function* (project: string, from: Instant, to: Instant): AsyncGenerator<HourUsage> {
    const range = hourRange(from, to);
    if (range === null) return;
    const stale = await staleHours(pending, project, now());
    const cut = new HourSet();
    const tallies = new Map<Hour, ReturnType<typeof usageTally>>();
    const add = (hour: Hour, usage: ModelUsage): void => {
      const tally = tallies.get(hour) ?? usageTally();
      tally.add(usage);
      tallies.set(hour, tally);
    };
    const markCutHour = (spans: Hour, { hour, expiry }: Omit<HourKey, "project">): void => {
      if (range.edges.some((edge) => edge.hour === spans) && !isExpiredDay(expiry, now())) cut.add(hour, expiry);
    };

    for await (const item of stored.far(project)) {
      if (stale.has(item.hour, item.expiry)) continue;
      const usage = item.usage();
      if (usage === null && !isExpiredDay(item.expiry, now())) stale.add(item.hour, item.expiry);
      for (const [spans, models] of usage ?? []) {
        if (isCounted(range, spans, item.expiry)) models.forEach((usage) => add(spans, usage));
        else markCutHour(spans, item);
      }
    }
    for (const { hour } of range.edges) {
      for await (const item of stored.between(project, [hour, hour])) markCutHour(item.spans, item);
    }
    for (const hour of new Set([...stale.hours(), ...cut.hours()])) {
      const partsFor = (expiry: string): readonly Part[] =>
        stale.has(hour, expiry) ? [range] : cut.has(hour, expiry) ? range.edges : [];
      for (const partition of new Set([...stale.partitions(hour), ...cut.partitions(hour)]))
        await fromRows(project, hour, partition, partsFor, ({ hour: spans, ...usage }) => add(spans, usage));
    }
    const tallied = [...tallies].map(([hour, tally]) => ({ hour, usage: tally.usage() }));
    yield* mergeByHour(tallied, ofStored(project, range, stale));
  };
};
