import type { Hour } from "../../domain/analytics/bucket.ts";
import { usageTally, type ModelUsage } from "../../domain/analytics/model-usage.ts";
import type { FiguresOfHour, UsageOfHour } from "../../domain/analytics/trace-analytics.ts";
import { figureTally } from "../../domain/analytics/trace-figures.ts";
import { usageOfSpans, usageWithin } from "../../domain/analytics/usage-within.ts";
import { sideBySide } from "../../async/side-by-side.ts";
import type { Contribution } from "../../domain/traces/totals.ts";
import type { TraceFilter } from "../../domain/traces/filter.ts";
import type { Instant } from "../../domain/instant.ts";
import type { Database } from "../database.ts";
import { newestValues } from "../scores/newest/values.ts";
import { withState } from "../traces/large-documents.ts";
import { selection } from "../traces/lists/selection.ts";
import type { PackedTrace } from "../traces/packed-trace.ts";
import { traceReader } from "../traces/reader.ts";
import { maxRows, rowBudget } from "../traces/row-budget.ts";
import { rowScan } from "../traces/row-scan.ts";

/** Documents read at the same time. */
const documentsAtOnce = 16;

const byHour = (a: { readonly hour: Hour }, b: { readonly hour: Hour }): number => (a.hour < b.hour ? -1 : 1);

/**
 * What the traces that match a filter add up to, from their rows: what is kept by hour knows nothing of filters. Refused
 * when more than 2,000,000 rows would have to be read.
 */
export const filteredAnalytics = (database: Database, now: () => number = Date.now, rowLimit = maxRows) => {
  const [scan, scoresOf] = [rowScan(database, now), newestValues(database, "trace", now)];
  const documents = traceReader(database, now);

  const matching = async (project: string, filter: TraceFilter, show: (trace: PackedTrace) => void): Promise<void> => {
    const count = rowBudget(rowLimit, ["query", "started_after"], "started_after and started_before");
    const selected = selection(project, filter, scoresOf, ["query", "score"], show);
    await scan.all(project, filter, { strongly: false, lives: filter.scores !== null }, (trace) => {
      count();
      selected.see(trace);
    });
    await selected.end();
  };

  return {
    /** Counts and latencies, ascending by the hour in which traces started. */
    figures: async function* (project: string, filter: TraceFilter): AsyncGenerator<FiguresOfHour> {
      const hours = new Map<Hour, ReturnType<typeof figureTally>>();
      await matching(project, filter, (trace) => {
        const hour = trace.startedAt.slice(0, 13);
        const tally = hours.get(hour) ?? figureTally();
        tally.add(trace);
        hours.set(hour, tally);
      });
      yield* [...hours].map(([hour, tally]) => ({ hour, figures: tally.figures() })).toSorted(byHour);
    },

    /** What their spans used that started within a range, ascending by hour. */
    usage: async function* (
      project: string,
      filter: TraceFilter,
      from: Instant,
      to: Instant,
    ): AsyncGenerator<UsageOfHour> {
      const hours = new Map<Hour, ReturnType<typeof usageTally>>();
      const add = ({ hour, ...usage }: Contribution): void => {
        const tally = hours.get(hour) ?? usageTally();
        tally.add(usage satisfies ModelUsage);
        hours.set(hour, tally);
      };
      const unclear: string[] = [];
      await matching(project, filter, (trace) => {
        const used = usageWithin(trace, from, to);
        if (used === null) unclear.push(trace.traceId);
        else used.forEach(add);
      });
      await sideBySide(unclear, documentsAtOnce, (trace) =>
        withState(documents, project, trace, async (state) =>
          usageOfSpans(state.kind === "stored" ? state.trace.spans : [], from, to).forEach(add),
        ),
      );
      yield* [...hours].map(([hour, tally]) => ({ hour, usage: tally.usage() })).toSorted(byHour);
    },
  };
};
