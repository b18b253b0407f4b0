import * as v from "valibot";
import type { AlertRule } from "../../domain/alerts/rule.ts";
import { scoreValue } from "../../domain/alerts/values.ts";
import type { Instant } from "../../domain/instant.ts";
import { scoreStatuses, type TraceScore } from "../../domain/scores/score.ts";
import type { ListedTrace } from "../../domain/traces/row.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { faultFields, logLine } from "../../log.ts";
import { countedFact, unpackScore } from "../scores/codec.ts";
import { scoreKey } from "../scores/keys.ts";
import { projectNames } from "../traces/facts/names.ts";
import { storedRowReader } from "../traces/stored-row.ts";
import { compiledFilter } from "./matching-rules.ts";

const scoreItem = v.object({
  d: v.instance(Uint8Array),
  st: v.picklist(scoreStatuses),
  x: v.optional(v.string()),
});

/** Low scores of a rule that are announced, and the ids of those whose traces still cannot be read. */
export interface UnreadScores {
  readonly lowScores: readonly { readonly score: TraceScore; readonly value: number }[];
  readonly unread: ReadonlySet<string>;
}

/** Reads the row of a trace by its id, its start and the number of its partition; null if there is none. */
export type RowReader = (
  project: string,
  trace: string,
  startedAt: Instant,
  partition: number,
) => Promise<ListedTrace | null>;

/** Returns a function that reads scores, whose traces could not be read when they became low, as they are now. */
export const unreadScoreReader = (database: Database, rowOf: RowReader = storedRowReader(database)) => {
  const names = projectNames(database);

  return async ({ projectId, settings }: AlertRule, ids: readonly string[]): Promise<UnreadScores> => {
    const filter = await compiledFilter(names, projectId, settings.filters);
    const [lowScores, unread]: [{ score: TraceScore; value: number }[], Set<string>] = [[], new Set()];
    const keys = ids.map((id) => scoreKey(projectId, id));
    for (const item of await batchGet(database, "scores", keys)) {
      const { d, st: status, ...attributes } = v.parse(scoreItem, item);
      const [score, fact] = [unpackScore(d), { ...countedFact(attributes), status }];
      const { trace_id: trace, trace_started_at: startedAt, trace_partition: partition = 0 } = score;
      if (scoreValue(settings, fact) !== 1 || startedAt === null) continue;
      try {
        const row = await rowOf(projectId, trace, startedAt, partition);
        if (row !== null && filter.matches(row)) lowScores.push({ score, value: fact.value ?? 0 });
      } catch (error) {
        logLine("alert_row_unreadable", { project_id: projectId, ...faultFields(error) });
        unread.add(score.id);
      }
    }
    return { lowScores, unread };
  };
};
