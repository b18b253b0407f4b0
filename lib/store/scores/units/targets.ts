import type { Dimension } from "../../../domain/scores/dimensions.ts";
import { flattenText, textBytes } from "../../../domain/text.ts";
import type { TraceFilter } from "../../../domain/traces/filter.ts";
import type { Database } from "../../../dynamo/database.ts";
import { projectNames } from "../../traces/facts/names.ts";
import { rowKeyIn } from "../../traces/keys.ts";
import type { FileDays, FiledTarget, FiledTargetQuery } from "../../traces/lists/file-days.ts";
import type { PackedTrace } from "../../traces/packed-trace.ts";
import { memoryBudget, memoryLimits } from "../../traces/row-scan.ts";
import type { ScoreTarget } from "../keys.ts";
import { matchingTraces } from "../newest/matching-traces.ts";

/** Facts of a trace, or of the newest matching trace of a session, for the figures of its scores. */
export type TargetFacts = Pick<FiledTarget, "cluster" | "values">;

/** Facts by incarnation of a trace, or by id of a session. */
export type FactsByTarget = ReadonlyMap<string, TargetFacts>;

/** Rows that figures of scores may read: 20,000 read units. */
export const maxTargetRows = 500_000;

/** Bytes of memory that a target takes beside its texts. */
const targetBytes = 250;

/** Files of closed days that have targets, and the scores of which a trace there has one or more. */
export interface TargetFiles {
  readonly days: FileDays | null;
  readonly scored: FiledTargetQuery["scored"];
}

/**
 * Returns a function that reads the facts of the traces that match a filter, by incarnation, or of the newest of each session. Traces
 * without a value of a dimension of traces are left out, and so are traces of files without scores.
 *
 * It throws a Refusal `invalid` when more than `rowLimit` rows would be read.
 */
export const scoreTargets = (
  database: Database,
  target: ScoreTarget,
  now: () => number = Date.now,
  rowLimit = maxTargetRows,
) => {
  const matching = matchingTraces(database, now, rowLimit);
  const names = projectNames(database);
  const idOf = (trace: PackedTrace): string | null => (target === "trace" ? trace.incarnation : trace.sessionId);

  return async (
    project: string,
    filter: TraceFilter,
    dimensions: readonly Dimension[],
    { days, scored }: TargetFiles = { days: null, scored: {} },
  ): Promise<FactsByTarget> => {
    const models = new Map<number, string>();
    if (dimensions.some(({ name }) => name === "model"))
      for (const [name, number] of (await names.list(project)).models) models.set(number, name);
    const addBytes = memoryBudget(
      memoryLimits[1024],
      "traces",
      ["query", "started_after"],
      "started_after and started_before",
    );
    const sharedValues = new Map<string, TargetFacts["values"]>();
    const valuesOf = (trace: PackedTrace): TargetFacts["values"] => {
      const values = dimensions.map((dimension) => ("ofTrace" in dimension ? dimension.ofTrace(trace, models) : []));
      const text = JSON.stringify(values);
      const shared = sharedValues.get(text);
      if (shared !== undefined) return shared;
      sharedValues.set(text, values);
      return values;
    };
    const facts = new Map<string, TargetFacts>();
    const newestKeys = new Map<string, Buffer>();
    const isOlder = (id: string, key: Buffer): boolean => (newestKeys.get(id)?.compare(key) ?? -1) > 0;
    const addTarget = (id: string, { cluster, values }: TargetFacts, key: Buffer | null): void => {
      if (!facts.has(id)) addBytes(targetBytes + textBytes(cluster));
      facts.set(id, { cluster, values });
      if (key !== null) newestKeys.set(id, key);
    };
    const add = (trace: PackedTrace): void => {
      const id = idOf(trace);
      if (id === null || isOlder(id, trace.key)) return;
      const values = valuesOf(trace);
      if (dimensions.some((dimension, index) => "ofTrace" in dimension && values[index]?.length === 0)) return;
      const cluster = flattenText(trace.sessionId ?? trace.traceId);
      if (target === "session") addTarget(cluster, { cluster, values }, trace.key);
      else addTarget(flattenText(id), { cluster, values }, null);
    };
    const factNames = dimensions.map((dimension) => ("ofTrace" in dimension ? dimension.name : null));
    const question = {
      files: days,
      ask: (files: FileDays) => files.targets({ target, dimensions: factNames, scored }),
    };
    const ofFiles = await matching(project, filter, add, { withIncarnations: target === "trace" }, question);
    for (const { id, newest, ...values } of ofFiles ?? []) {
      const key = newest === null ? null : rowKeyIn(project, newest.traceId, newest.startedAt, 0).sk;
      if (key === null || !isOlder(id, key)) addTarget(id, values, key);
    }
    return facts;
  };
};
