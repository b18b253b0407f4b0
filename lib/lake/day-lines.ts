import { endOfDay, instantAt, type Instant } from "../domain/instant.ts";
import type { Database } from "../dynamo/database.ts";
import { dayScores } from "../store/lake/day-scores.ts";
import type { ProjectDay } from "../store/lake/due-days.ts";
import { projectNames } from "../store/traces/facts/names.ts";
import { rowScan } from "../store/traces/row-scan.ts";
import type { DayPaths } from "./day-files.ts";
import { lineFile } from "./line-file.ts";
import { lakeScoreRow } from "./score-row.ts";
import { lakeTraceRow } from "./trace-row.ts";

/** Milliseconds by which clocks of functions may differ: no score is older than the arrival of its trace by more. */
const clockSkew = 3_600_000;

/**
 * Returns a function that writes the rows and scores of a day as lines: all of them, or those of the traces that start at some
 * instants.
 */
export const dayLines = (database: Database, now: () => number = Date.now) => {
  const [scan, scores, names] = [rowScan(database, now), dayScores(database, now), projectNames(database)];

  return async ({ project, day }: ProjectDay, instants: readonly Instant[] | null, paths: DayPaths): Promise<void> => {
    const { models, tools } = await names.list(project);
    const byNumber = {
      models: new Map(Array.from(models, ([name, number]) => [number, name])),
      tools: new Map(Array.from(tools, ([name, number]) => [number, name])),
    };
    const [traceLines, scoreLines] = [lineFile(paths.traces), lineFile(paths.scores)];
    try {
      const incarnations = new Map<string, string>();
      let firstArrival = now();
      const addTrace: Parameters<typeof scan.all>[3] = (trace, expiresAt) => {
        incarnations.set(trace.traceId, trace.incarnation ?? "");
        firstArrival = Math.min(firstArrival, trace.arrivedAt);
        traceLines.add(lakeTraceRow(trace, byNumber, expiresAt));
      };
      const addScore: Parameters<typeof scores.since>[2] = ({ score, incarnation }) => {
        if (incarnations.get(score.trace_id) === incarnation) scoreLines.add(lakeScoreRow(score, incarnation));
      };
      const reading = { strongly: true, withIncarnations: true };
      if (instants === null) {
        const to = instantAt(endOfDay(day));
        await scan.all(project, { from: `${day}T00:00:00+00:00`, to }, reading, addTrace);
        await scores.since(project, instantAt(firstArrival - clockSkew), addScore);
      } else {
        await scan.at(project, instants, reading, addTrace);
        await scores.of(project, incarnations, addScore);
      }
    } finally {
      traceLines.close();
      scoreLines.close();
    }
  };
};
