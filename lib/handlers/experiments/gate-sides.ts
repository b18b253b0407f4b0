import type { GateInput } from "../../contract/experiments/gates.ts";
import type { Experiment, ExperimentTrace } from "../../domain/experiments/experiment.ts";
import { invalid } from "../../domain/refusal.ts";
import type { TraceFilters } from "../../domain/traces/filter.ts";
import type { Database } from "../../dynamo/database.ts";
import { experimentTraceOf } from "../../store/experiments/trace-of-row.ts";
import { rowLimitCheck } from "../../store/hours/row-limit-check.ts";
import { matchingTraces } from "../../store/scores/newest/matching-traces.ts";
import { maxTargetRows } from "../../store/scores/units/targets.ts";
import { traceFilterCompiler } from "../scores/counted-scores.ts";
import type { ExperimentReader } from "./read.ts";

/** Traces of a side of a gate. */
export interface GateSide {
  /** Null for traces that filters select. */
  readonly experiment: Experiment | null;
  /** Those of filters have their session, or themselves, in the place of an item. */
  readonly traces: readonly ExperimentTrace[];
}

/** Most traces that a filter may select: their scores of one metric cost half a read unit each. */
const maxTraces = 50_000;

/** The project of a request. */
interface GateProject {
  readonly id: string;
  readonly metadata_keys: readonly string[];
}

/** Returns the function that reads the sides of gates. */
export const gateSides = (database: Database, reader: ExperimentReader) => {
  const [compile, checkRows] = [traceFilterCompiler(database), rowLimitCheck(database, undefined, maxTargetRows)];
  const matching = matchingTraces(database, Date.now, maxTargetRows);

  const filtered = async (project: GateProject, filters: TraceFilters, loc: readonly string[]): Promise<GateSide> => {
    const filter = await compile(project, filters, (key) => [...loc, "metadata", key]);
    await checkRows(project.id, filter, loc, "date_from and date_to");
    const traces: ExperimentTrace[] = [];
    await matching(
      project.id,
      filter,
      (row) => {
        if (traces.length >= maxTraces)
          throw invalid(loc, `More than ${maxTraces} traces match. Narrow the filters, as by date_from and date_to`);
        traces.push(experimentTraceOf(row, { itemId: row.sessionId ?? row.traceId, itemName: null }));
      },
      { withIncarnations: true },
    );
    return { experiment: null, traces };
  };

  const approved = async (project: GateProject, { experiment }: GateSide): Promise<GateSide> => {
    const dataset = experiment === null ? null : await reader.datasetOf(experiment);
    if (dataset?.approvedExperiment == null)
      throw invalid(["body", "baseline"], "The dataset of the candidate has no approved experiment");
    return reader.read(project.id, dataset.approvedExperiment);
  };

  const read = (
    project: GateProject,
    side: GateInput["candidate"],
    name: "candidate" | "baseline",
  ): Promise<GateSide> =>
    typeof side === "string"
      ? reader.read(project.id, side, `${name === "candidate" ? "Candidate" : "Baseline"} experiment`)
      : filtered(project, side, ["body", name]);

  /** Reads candidate and baseline, which is null without one. @throws Refusal `invalid`, `not-found` */
  return async (project: GateProject, { candidate: sent, baseline: other }: GateInput) => {
    const candidate = await read(project, sent, "candidate");
    if (other === undefined) return { candidate, baseline: null };
    const baseline = other === "approved" ? await approved(project, candidate) : await read(project, other, "baseline");
    return { candidate, baseline };
  };
};
