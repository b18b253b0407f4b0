import type { Dimension, GroupValue } from "../../../domain/scores/dimensions.ts";
import { flattenText, textBytes } from "../../../domain/text.ts";
import type { TraceFilter } from "../../../domain/traces/filter.ts";
import type { Database } from "../../../dynamo/database.ts";
import { projectNames } from "../../traces/facts/names.ts";
import type { PackedTrace } from "../../traces/packed-trace.ts";
import { memoryBudget, memoryLimits } from "../../traces/row-scan.ts";
import type { ScoreTarget } from "../keys.ts";
import { matchingTraces } from "../newest/matching-traces.ts";

/** Facts of a trace, or of the newest matching trace of a session, for the figures of its scores. */
export interface TargetFacts {
  /** Id of the session, or of a trace without one. */
  readonly cluster: string;
  /** Values of each dimension; empty for dimensions of scores. */
  readonly values: readonly (readonly GroupValue[])[];
}

/** Facts by incarnation of a trace, or by id of a session. */
export type FactsByTarget = ReadonlyMap<string, TargetFacts>;

/** Rows that figures of scores may read: 20,000 read units. */
export const maxTargetRows = 500_000;

/** Bytes of memory that a target takes beside its texts. */
const targetBytes = 250;

/**
 * Reads the traces that match a filter, as targets of scores: by incarnation, or the newest of each session.
 *
 * @throws Refusal `invalid` (from the returned functions) when more than `rowLimit` rows would be read.
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

  return {
    /** Reads the incarnations or session ids of the matching traces. */
    ids: async (project: string, filter: TraceFilter): Promise<ReadonlySet<string>> => {
      const ids = new Set<string>();
      const add = (trace: PackedTrace): void => {
        const id = idOf(trace);
        if (id !== null && !ids.has(id)) ids.add(flattenText(id));
      };
      await matching(project, filter, add, { withIncarnations: target === "trace" });
      return ids;
    },

    /** Reads the facts of the matching traces that have a value of each dimension of traces. */
    facts: async (project: string, filter: TraceFilter, dimensions: readonly Dimension[]): Promise<FactsByTarget> => {
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
      const add = (trace: PackedTrace): void => {
        const id = idOf(trace);
        if (id === null) return;
        const newest = newestKeys.get(id);
        if (newest !== undefined && newest.compare(trace.key) > 0) return;
        const values = valuesOf(trace);
        if (dimensions.some((dimension, index) => "ofTrace" in dimension && values[index]?.length === 0)) return;
        const cluster = flattenText(trace.sessionId ?? trace.traceId);
        if (!facts.has(id)) addBytes(targetBytes + textBytes(cluster));
        const key = target === "session" ? cluster : flattenText(id);
        facts.set(key, { cluster, values });
        if (target === "session") newestKeys.set(key, trace.key);
      };
      await matching(project, filter, add, { withIncarnations: target === "trace" });
      return facts;
    },
  };
};
