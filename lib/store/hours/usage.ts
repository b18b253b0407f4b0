import type { Hour } from "../../domain/analytics/bucket.ts";
import { ascending } from "../../domain/analytics/bucketed.ts";
import { beginsIn, hourRange, isWithin, type HourRange } from "../../domain/analytics/hour-range.ts";
import { usageTally, type ModelUsage } from "../../domain/analytics/model-usage.ts";
import type { UsageOfHour } from "../../domain/analytics/trace-analytics.ts";
import type { Contribution } from "../../domain/traces/totals.ts";
import type { Instant } from "../../domain/instant.ts";
import { usageOfSpans, usageWithin } from "../../domain/analytics/usage-within.ts";
import type { Database } from "../database.ts";
import type { HourKey } from "./keys.ts";
import { isGone } from "../expiry.ts";
import { hourReader } from "./reader.ts";
import { HourSet, pendingHours } from "./hour-set.ts";
import { hourRows } from "./rows.ts";
import { pendingMarks } from "./pending-marks.ts";
import { withState } from "../traces/large-documents.ts";
import { traceReader } from "../traces/reader.ts";

type Part = Pick<HourRange, "from" | "to">;

/** Documents read at the same time. */
const parallel = 16;

/**
 * What the spans that started in a range used, ascending by hour: from stored sums, from rows where a sum is too old or the
 * range cuts an hour, and from documents where a row has spans on both sides of the cut. Of an hour whose rows have expired
 * the sums are all there is: it counts where it begins.
 */
export const analyticsUsage = (database: Database, now: () => number = Date.now) => {
  const [rows, stored, pending] = [hourRows(database), hourReader(database), pendingMarks(database, "hours")];
  const documents = traceReader(database, now);

  /** Whether sums of spans of an hour count as a whole. */
  const counts = (range: HourRange, spans: Hour, expiry: string): boolean =>
    isWithin(range, spans) || (beginsIn(range, spans) && isGone(expiry, now()));

  const fromDocument = async (
    project: string,
    trace: string,
    parts: readonly Part[],
  ): Promise<readonly Contribution[]> => {
    return await withState(documents, project, trace, async (state) => {
      const spans = state.kind === "stored" ? state.trace.spans : [];
      return parts.flatMap(({ from, to }) => usageOfSpans(spans, from, to));
    });
  };

  /** What traces that started in an hour used within parts of the time, from rows. */
  const fromRows = async (
    project: string,
    hour: Hour,
    partsFor: (expiry: string) => readonly Part[],
    add: (contribution: Contribution) => void,
  ): Promise<void> => {
    const unclear: { readonly trace: string; readonly parts: readonly Part[] }[] = [];
    for await (const { trace, expiry } of rows.ofHour(project, hour, false)) {
      const parts = partsFor(expiry);
      const found = parts.map(({ from, to }) => usageWithin(trace, from, to));
      if (found.includes(null)) unclear.push({ trace: trace.traceId, parts });
      else found.forEach((part) => part?.forEach(add));
    }
    const left = unclear.values();
    const work = async (): Promise<void> => {
      for (const { trace, parts } of left) (await fromDocument(project, trace, parts)).forEach(add);
    };
    await Promise.all(Array.from({ length: parallel }, work));
  };

  const ofStored = async function* (project: string, range: HourRange, old: HourSet): AsyncGenerator<UsageOfHour> {
    for await (const { spans, hour, expiry, usage } of stored.between(project, range.touched)) {
      if (old.has(hour, expiry) || !counts(range, spans, expiry)) continue;
      yield { hour: spans, usage: (usage() ?? []).flatMap(([, models]) => models) };
    }
  };

  return async function* (project: string, from: Instant, to: Instant): AsyncGenerator<UsageOfHour> {
    const range = hourRange(from, to);
    if (range === null) return;
    const old = await pendingHours(pending, project, now());
    const cut = new HourSet();
    const tallies = new Map<Hour, ReturnType<typeof usageTally>>();
    const add = (hour: Hour, usage: ModelUsage): void => {
      const tally = tallies.get(hour) ?? usageTally();
      tally.add(usage);
      tallies.set(hour, tally);
    };
    const note = (spans: Hour, { hour, expiry }: Omit<HourKey, "project">): void => {
      if (range.edges.some((edge) => edge.hour === spans) && !isGone(expiry, now())) cut.add(hour, expiry);
    };

    for await (const item of stored.far(project)) {
      if (old.has(item.hour, item.expiry)) continue;
      const usage = item.usage();
      if (usage === null && !isGone(item.expiry, now())) old.add(item.hour, item.expiry);
      for (const [spans, models] of usage ?? []) {
        if (counts(range, spans, item.expiry)) models.forEach((one) => add(spans, one));
        else note(spans, item);
      }
    }
    for (const { hour } of range.edges) {
      for await (const item of stored.between(project, [hour, hour])) note(item.spans, item);
    }
    for (const hour of new Set([...old.hours(), ...cut.hours()])) {
      const partsFor = (expiry: string): readonly Part[] =>
        old.has(hour, expiry) ? [range] : cut.has(hour, expiry) ? range.edges : [];
      await fromRows(project, hour, partsFor, ({ hour: spans, ...usage }) => add(spans, usage));
    }
    const known = [...tallies].map(([hour, tally]) => ({ hour, usage: tally.usage() }));
    yield* ascending(known, ofStored(project, range, old));
  };
};
