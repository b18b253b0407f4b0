import type { Hour } from "../../domain/analytics/bucket.ts";
import { usageTally, type ModelUsage } from "../../domain/analytics/model-usage.ts";
import type { HourFigures, HourUsage } from "../../domain/analytics/trace-analytics.ts";
import { figureTally } from "../../domain/analytics/trace-figures.ts";
import { usageOfSpans, usageWithin } from "../../domain/analytics/usage-in-range.ts";
import { mapConcurrently } from "../../async/concurrency.ts";
import type { Contribution } from "../../domain/traces/totals.ts";
import type { TraceFilter } from "../../domain/traces/filter.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { newestValues } from "../scores/newest/values.ts";
import { withTraceState } from "../traces/large-documents.ts";
import { selection } from "../traces/lists/list.ts";
import type { PackedTrace } from "../traces/packed-trace.ts";
import { traceReader } from "../traces/reader.ts";
import { maxRows, rowBudget, rowScan } from "../traces/row-scan.ts";

/** Max documents read at the same time. */
const maxParallelDocuments = 16;

const byHour = (a: { readonly hour: Hour }, b: { readonly hour: Hour }): number => (a.hour < b.hour ? -1 : 1);

/**
 * Analytics of the traces that match a filter, computed from their rows because stored hourly sums cannot be
 * filtered. Refused when more than 2,000,000 rows would be read.
 */
export const filteredAnalytics = (database: Database, now: () => number = Date.now, rowLimit = maxRows) => {
  const [scan, scoresOf] = [rowScan(database, now), newestValues(database, "trace", now)];
  const documents = traceReader(database, now);

  const forEachMatch = async (
    project: string,
    filter: TraceFilter,
    onMatch: (trace: PackedTrace) => void,
  ): Promise<void> => {
    const count = rowBudget(rowLimit, ["query", "started_after"], "started_after and started_before");
    const matches = selection(project, filter, scoresOf, ["query", "score"], onMatch);
    await scan.all(project, filter, { strongly: false, withIncarnations: filter.scores !== null }, (trace) => {
      count();
      matches.add(trace);
    });
    await matches.finish();
  };

  return {
    /** Counts and latencies by the hour in which the traces started, ascending. */
    figures: async function* (project: string, filter: TraceFilter): AsyncGenerator<HourFigures> {
      const hours = new Map<Hour, ReturnType<typeof figureTally>>();
      await forEachMatch(project, filter, (trace) => {
        const hour = trace.startedAt.slice(0, 13);
        const tally = hours.get(hour) ?? figureTally();
        tally.add(trace);
        hours.set(hour, tally);
      });
      yield* [...hours].map(([hour, tally]) => ({ hour, figures: tally.figures() })).toSorted(byHour);
    },

    /** Usage of the matching traces' spans that started within a range, by hour, ascending. */
    usage: async function* (
      project: string,
      filter: TraceFilter,
      from: Instant,
      to: Instant,
    ): AsyncGenerator<HourUsage> {
      const hours = new Map<Hour, ReturnType<typeof usageTally>>();
      const add = ({ hour, ...usage }: Contribution): void => {
        const tally = hours.get(hour) ?? usageTally();
        tally.add(usage satisfies ModelUsage);
        hours.set(hour, tally);
      };
      const unresolvedTraces: string[] = [];
      await forEachMatch(project, filter, (trace) => {
        const usage = usageWithin(trace, from, to);
        if (usage === null) unresolvedTraces.push(trace.traceId);
        else usage.forEach(add);
      });
      await mapConcurrently(unresolvedTraces, maxParallelDocuments, (trace) =>
        withTraceState(documents, project, trace, async (state) =>
          usageOfSpans(state.kind === "stored" ? state.trace.spans : [], from, to).forEach(add),
        ),
      );
      yield* [...hours].map(([hour, tally]) => ({ hour, usage: tally.usage() })).toSorted(byHour);
    },
  };
};
