import type { Hour } from "../../domain/analytics/bucket.ts";
import { usageTally, type ModelUsage } from "../../domain/analytics/model-usage.ts";
import type { HourFigures, HourUsage } from "../../domain/analytics/trace-analytics.ts";
import { figureTally } from "../../domain/analytics/trace-figures.ts";
import { valueTally, type ValueField } from "../../domain/analytics/value-counts.ts";
import { textBytes } from "../../domain/text.ts";
import { usageOfSpans, usageWithin } from "../../domain/analytics/usage-in-range.ts";
import { mapConcurrently } from "../../async/concurrency.ts";
import type { Contribution } from "../../domain/traces/totals.ts";
import type { TraceFilter } from "../../domain/traces/filter.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { matchingTraces } from "../scores/newest/matching-traces.ts";
import { withTraceState } from "../traces/large-documents.ts";
import { traceReader } from "../traces/reader.ts";
import { projectNames } from "../traces/facts/names.ts";
import type { FileDays } from "../traces/lists/file-days.ts";
import type { PackedTrace } from "../traces/packed-trace.ts";
import { maxRows, memoryBudget, memoryLimits } from "../traces/row-scan.ts";

/** Max documents read at the same time. */
const maxParallelDocuments = 16;

/** Bytes of memory that a counted value takes beside its text. */
const valueBytes = 200;

const byHour = (a: { readonly hour: Hour }, b: { readonly hour: Hour }): number => (a.hour < b.hour ? -1 : 1);

/**
 * Analytics of the traces that match a filter, computed from their rows because stored hourly sums cannot be
 * filtered, or from files of closed days. Refused when more than 2,000,000 rows would be read.
 */
export const filteredAnalytics = (database: Database, now: () => number = Date.now, rowLimit = maxRows) => {
  const forEachMatch = matchingTraces(database, now, rowLimit);
  const documents = traceReader(database, now);
  const names = projectNames(database);

  return {
    /** Counts and latencies by the hour in which the traces started, ascending. */
    figures: async function* (
      project: string,
      filter: TraceFilter,
      files: FileDays | null = null,
    ): AsyncGenerator<HourFigures> {
      const hours = new Map<Hour, ReturnType<typeof figureTally>>();
      const tallyOf = (hour: Hour): ReturnType<typeof figureTally> => {
        const tally = hours.get(hour) ?? figureTally();
        hours.set(hour, tally);
        return tally;
      };
      const add = (trace: PackedTrace): void => tallyOf(trace.startedAt.slice(0, 13)).add(trace);
      const question = { files, ask: (days: FileDays) => days.figures() };
      const ofFiles = await forEachMatch(project, filter, add, {}, question);
      for (const { hour, figures } of ofFiles ?? []) tallyOf(hour).addFigures(figures);
      yield* [...hours].map(([hour, tally]) => ({ hour, figures: tally.figures() })).toSorted(byHour);
    },

    /**
     * Counts of the values that a field has in the matching traces, the most frequent first; they may not take more
     * memory than their function has.
     */
    values: async (project: string, filter: TraceFilter, field: ValueField, files: FileDays | null = null) => {
      const byNumber = (numbers: ReadonlyMap<string, number>): ReadonlyMap<number, string> =>
        new Map([...numbers].map(([name, number]) => [number, name]));
      const { models, tools } = await names.list(project);
      const addBytes = memoryBudget(
        memoryLimits[1024],
        "values",
        ["query", "started_after"],
        "started_after and started_before",
      );
      const tally = valueTally(field, { models: byNumber(models), tools: byNumber(tools) }, (value) =>
        addBytes(valueBytes + textBytes(value)),
      );
      const question = { files, ask: (days: FileDays) => days.values(field) };
      const ofFiles = await forEachMatch(project, filter, tally.add, {}, question);
      for (const count of ofFiles ?? []) tally.addCount(count);
      return tally.top();
    },

    /** Usage of the matching traces' spans that started within a range, which is that of the filter, by hour, ascending. */
    usage: async function* (
      project: string,
      filter: TraceFilter,
      from: Instant,
      to: Instant,
      files: FileDays | null = null,
    ): AsyncGenerator<HourUsage> {
      const hours = new Map<Hour, ReturnType<typeof usageTally>>();
      const add = ({ hour, ...usage }: Contribution): void => {
        const tally = hours.get(hour) ?? usageTally();
        tally.add(usage satisfies ModelUsage);
        hours.set(hour, tally);
      };
      const unresolvedTraces: string[] = [];
      const addTrace = (trace: PackedTrace): void => {
        const usage = usageWithin(trace, from, to);
        if (usage === null) unresolvedTraces.push(trace.traceId);
        else usage.forEach(add);
      };
      const question = { files, ask: (days: FileDays) => days.usage() };
      for (const part of (await forEachMatch(project, filter, addTrace, {}, question)) ?? []) {
        if (typeof part === "string") unresolvedTraces.push(part);
        else add(part);
      }
      await mapConcurrently(unresolvedTraces, maxParallelDocuments, (trace) =>
        withTraceState(documents, project, trace, async (state) =>
          usageOfSpans(state.kind === "stored" ? state.trace.spans : [], from, to).forEach(add),
        ),
      );
      yield* [...hours].map(([hour, tally]) => ({ hour, usage: tally.usage() })).toSorted(byHour);
    },
  };
};
