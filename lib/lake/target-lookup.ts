import * as v from "valibot";
import type { TraceFactName } from "../domain/scores/dimensions.ts";
import { parseInstant } from "../domain/instant.ts";
import type { TraceFilters } from "../domain/traces/filter.ts";
import type { FiledTarget } from "../store/traces/lists/file-days.ts";
import type { LakeEngine } from "./engine.ts";
import type { FileCopies } from "./file-copies.ts";
import { joinSql, sql, Sql } from "./sql.ts";
import { answerOfFiles } from "./sum-lookup.ts";
import { instantIn, matchTest, textOf } from "./trace-list.ts";
import { traceEntries } from "./trace-lookup.ts";
import type { SummedTraces } from "./trace-sums.ts";

/**
 * Event with which the lake's function finds targets of scores, instead of writing. Its caller has the keys of the files from the manifests
 * of the project whose traces they are.
 *
 * @param filters schema of the filters.
 */
export const targetLookupEvent = (filters: v.GenericSchema<unknown, TraceFilters>) =>
  v.object({
    targets: v.object({
      ...traceEntries(filters),
      /** Traces with scores, or sessions. */
      target: v.picklist(["trace", "session"]),
      /** Names of groups; null for one by a fact of scores. */
      dimensions: v.array(v.nullable(v.string())),
      /** Scores of which a trace has one or more. */
      scored: v.object(v.entriesFromList(["name", "date_from", "date_to"], v.optional(v.string()))),
    }),
  });

export type TargetLookup = v.InferOutput<ReturnType<typeof targetLookupEvent>>["targets"];

/** Schema of a reply: targets by their values of the groups; null if it cannot have all. */
export const targetsOfFiles = v.nullable(
  v.pipe(
    v.array(
      v.object({
        values: v.array(v.array(v.nullable(v.string()))),
        targets: v.array(v.tuple([v.string(), v.string(), v.nullable(v.pipe(v.unknown(), v.transform(instantIn)))])),
      }),
    ),
    v.transform((groups) =>
      groups.flatMap(({ values, targets }) =>
        targets.map(([id, other, startedAt]): FiledTarget => {
          if (startedAt === null) return { id, cluster: other, values, newest: null };
          return { id, cluster: id, values, newest: { traceId: other, startedAt } };
        }),
      ),
    ),
  ),
);

/** The values of a trace's facts as SQL; those of a `Dimension`. One that was added to the domain does not compile without SQL. */
const factValues: Readonly<Record<TraceFactName, string>> = {
  release: "[release]",
  environment: "[environment]",
  model: "models",
  trace_name: "[name]",
  tag: "list_distinct(tags)",
  user_id: "[user_id]",
  prompt: "list_transform(prompts, lambda prompt: concat_ws('@', coalesce(prompt.name, ''), prompt.version))",
};

const isFactName = (name: string): name is TraceFactName => Object.hasOwn(factValues, name);

const valuesSql = (dimension: string | null): Sql => {
  if (dimension === null) return sql`[]::VARCHAR[]`;
  if (!isFactName(dimension)) return sql`[metadata[${dimension.slice("metadata.".length)}]]`;
  return new Sql(`coalesce(nullif(${factValues[dimension]}, []), [NULL])`);
};

/** Returns a query for the numbers and incarnations of a day's traces with scores. @param scores the table of scores of the day. */
const scoredSql = (scores: Sql, { name, date_from: from, date_to: to }: TargetLookup["scored"]): Sql => {
  const tests = [
    ...(name === undefined ? [] : [sql`name = ${name}`]),
    ...(from === undefined ? [] : [sql`created_at >= ${parseInstant(from)}::TIMESTAMPTZ`]),
    ...(to === undefined ? [] : [sql`created_at < ${parseInstant(to)}::TIMESTAMPTZ`]),
  ];
  return sql`SELECT row, any_value(incarnation) AS incarnation FROM ${scores} WHERE ${joinSql([sql`true`, ...tests], " AND ")} GROUP BY row`;
};

/** Returns a query for the traces with scores, or the sessions with their newest trace, by their values. */
const targetsSql = (
  { days, ...selection }: SummedTraces,
  { target, dimensions, scored }: Pick<TargetLookup, "target" | "dimensions" | "scored">,
): Sql => {
  const values = sql`[${joinSql(dimensions.map(valuesSql), ", ")}]::VARCHAR[][] AS values`;
  const matches = days.map(({ traces, scores, changed }) => {
    const test = matchTest(selection, scores, changed);
    return target === "trace"
      ? sql`SELECT incarnation AS id, coalesce(session_id, trace_id) AS other, NULL AS start, ${values}
          FROM ${traces} JOIN (${scoredSql(scores, scored)}) USING (row) WHERE ${test}`
      : sql`SELECT session_id AS id, trace_id, row, started_at, ${values} FROM ${traces} WHERE session_id IS NOT NULL AND ${test}`;
  });
  const union = joinSql(matches, " UNION ALL ");
  // Traces that start at the same instant are of one day.
  const newest = (column: string): Sql => new Sql(`last(${column} ORDER BY started_at, row)`);
  const targets =
    target === "trace"
      ? union
      : sql`SELECT id, ${newest("trace_id")} AS other, ${textOf("max(started_at)")} AS start, ${newest("values")} AS values
          FROM (${union}) GROUP BY id`;
  return sql`SELECT values, list([id, other, start]) AS targets FROM (${targets}) GROUP BY values`;
};

/**
 * Returns a function that finds the targets of scores by the files of days; null if there are too many for a reply.
 *
 * It throws an Error if there is no time for the files.
 */
export const targetLookup =
  (copies: FileCopies, engine: LakeEngine, now: () => number = Date.now) =>
  ({ days, filters, giver, ...query }: TargetLookup): Promise<unknown> =>
    answerOfFiles(copies, days, now, (tables) =>
      engine.rows(targetsSql({ days: tables, filters, giver, now: now() }, query)),
    );
