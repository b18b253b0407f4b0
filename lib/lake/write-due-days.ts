import type { Database } from "../dynamo/database.ts";
import { faultFields, logLine } from "../log.ts";
import { endOfDay, instantAt, type Instant } from "../domain/instant.ts";
import { projectExistence } from "../store/access/existing-projects.ts";
import { countedTraces } from "../store/hours/row-limit-check.ts";
import { lakeChanges } from "../store/lake/changes.ts";
import {
  type DueDay,
  dueDays,
  indexingMargin,
  minWrittenTraces,
  nextPass,
  type ProjectDay,
} from "../store/lake/due-days.ts";
import { lakeManifests } from "../store/lake/manifests.ts";
import { snapshotMilliseconds } from "../store/lake/snapshots.ts";
import { traceCounts } from "../store/traces/counts.ts";
import { traceDays } from "../store/traces/days.ts";
import { type DayWriter, garbageMilliseconds } from "./day-writer.ts";
import { closingMilliseconds } from "./parts/day-parts-writer.ts";

/**
 * Traces of the largest day that is written: the writer keeps the ids of a day in memory, and its rows as lines of 1.4 KB on its disk.
 */
export const maxDayTraces = 4_000_000;

/** Milliseconds after its end from which a day is closed: traces of its last hour have arrived by then. */
const endingMilliseconds = 3_600_000;

/** Returns the end of the last whole hour that has been over for some time, epoch milliseconds. */
const endOfHours = (at: number): number => Math.floor((at - indexingMargin) / 3_600_000) * 3_600_000;

/** Result of one call of the writer. */
export interface WriteReport {
  readonly days: number;
  readonly written: number;
  readonly snapshots: number;
  readonly failed: number;
}

/**
 * Writes the days that are due, one after the other: those that have ended, changed or expired, of projects with 10,000 traces and of
 * those of which an export was asked; and snapshots for exports.
 */
export const dueDayWriter = (
  database: Database,
  writer: DayWriter,
  now: () => number = Date.now,
  { minIndexed, maxTraces } = { minIndexed: minWrittenTraces, maxTraces: maxDayTraces },
) => {
  const [due, manifests, changes] = [dueDays(database, now), lakeManifests(database, now), lakeChanges(database, now)];
  const [exists, counts, days] = [projectExistence(database), traceCounts(database, now), traceDays(database)];
  const count = countedTraces(database, now);

  /** True if the files of a project are written. Its first pass makes its earlier days due. */
  const hasFiles = async ({ project, day, isAsked }: DueDay): Promise<boolean> => {
    if (await manifests.hasAny(project)) return true;
    if (!isAsked && (await counts.total(project)) < minWrittenTraces) return false;
    for (const earlier of await days.list(project, false))
      if (earlier.day < day) await due.add(now(), { project, day: earlier.day });
    return true;
  };

  const isTooLarge = async ({ project, day }: ProjectDay): Promise<boolean> => {
    const range = { from: `${day}T00:00:00+00:00`, to: instantAt(endOfDay(day)) };
    return (await count(project, range, maxTraces)) > maxTraces;
  };

  /** Returns up to where a day may be closed for its index of words; null if that is fewer than 10,000 traces more. */
  const endFrom = async ({ project, day }: ProjectDay, from: Instant): Promise<Instant | null> => {
    const to = instantAt(Math.min(endOfDay(day), endOfHours(now())));
    return to > from && (await count(project, { from, to }, minIndexed)) >= minIndexed ? to : null;
  };

  const work = async (claimed: DueDay, until: number): Promise<"written" | "snapshot" | "skipped"> => {
    const { project, day, isAsked, isRetaken } = claimed;
    const target = { project, day };
    if (!(await exists(project)) || !(await hasFiles(claimed))) return "skipped";
    const hasNoFiles = await isTooLarge(target);
    if (hasNoFiles) logLine("lake_day_too_large", { project_id: project, day });
    // A writer that died may have left files that are not old enough yet to be told from those of one that works.
    if (isRetaken) await due.add(now() + 2 * garbageMilliseconds, target);
    const isWritable = endOfDay(day) + endingMilliseconds <= now() && !hasNoFiles;
    const outcome = isWritable ? await writer.write(project, day) : "open";
    if (outcome === "closing") await due.add(now() + closingMilliseconds, target);
    if (outcome === "written") {
      const expiresAt = (await manifests.get(project, day))?.expiresAt ?? null;
      if (expiresAt !== null) await due.add(nextPass(Math.max(now(), expiresAt)), target);
      if ((await changes.countByDay(project, day, day)).size > 0) await due.add(nextPass(now()), target);
    }
    // The rest at once, but after the days that are due already.
    if (isWritable && !(await writer.addParts(project, day, until, claimed.wantsSpans))) await due.add(now(), target);
    const next = isWritable ? null : await writer.index(target, until, (from) => endFrom(target, from));
    if (next !== null) await due.add(next, target);
    const isSnapshot = isAsked && !hasNoFiles && (outcome === "open" || outcome === "closing");
    if (isSnapshot) {
      await writer.snapshot(project, day, claimed.wantsSpans);
      await due.add(now() + snapshotMilliseconds + garbageMilliseconds, target);
    }
    await writer.sweep(project, day);
    if (isSnapshot) return "snapshot";
    return outcome === "written" ? "written" : "skipped";
  };

  /**
   * @param budget milliseconds in which days are begun.
   * @throws Error after all others had their turn if days could not be written: they are due again in the next pass.
   */
  return async (budget: number): Promise<WriteReport> => {
    const until = now() + budget;
    const report = { days: 0, written: 0, snapshots: 0, failed: 0 };
    while (now() < until) {
      const claimed = await due.claim();
      if (claimed === null) break;
      report.days += 1;
      try {
        const result = await work(claimed, until);
        if (result === "written") report.written += 1;
        if (result === "snapshot") report.snapshots += 1;
      } catch (error) {
        report.failed += 1;
        logLine("lake_day_failed", { project_id: claimed.project, day: claimed.day, ...faultFields(error) });
        await due.add(nextPass(now()), claimed);
      }
      await due.finish(claimed);
    }
    return report;
  };
};
