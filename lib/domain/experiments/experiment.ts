import { derivedUuid, uuidInProject } from "../access/identity.ts";
import type { Instant } from "../instant.ts";
import type { TraceProvenance } from "../traces/provenance.ts";

/** The traces of one release of an agent over the items of a dataset. */
export interface Experiment {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** Dataset as the traces name it: its id, or its name; null if they name none. */
  readonly dataset: string | null;
  /** Start of the trace by which the experiment became known. */
  readonly startedAt: Instant;
}

/** A trace of an experiment. */
export interface ExperimentTrace {
  readonly traceId: string;
  readonly incarnation: string;
  /** UUID of the item that the trace ran; null if it names none. */
  readonly itemId: string | null;
  readonly startedAt: Instant;
  readonly hasEnded: boolean;
  readonly hasFailed: boolean;
  readonly latencyMilliseconds: number | null;
  /** US dollars. */
  readonly cost: number;
  readonly tokens: number;
}

/** The experiment that a trace names, and its item. */
export interface ExperimentReference {
  readonly id: string;
  readonly name: string;
  readonly dataset: string | null;
  readonly itemId: string | null;
}

/**
 * Returns the experiment that a trace names; null if it names none. Without an id of its own an experiment is known by its dataset and its
 * name: a second one of the same name is the same.
 */
export const experimentOf = (
  projectId: string,
  { experiment, experimentId, experimentItem, dataset }: TraceProvenance,
): ExperimentReference | null => {
  if (experiment === null) return null;
  return {
    id:
      experimentId === null
        ? derivedUuid(projectId, "experiment", dataset ?? "", experiment)
        : uuidInProject(projectId, experimentId),
    name: experiment,
    dataset,
    itemId: experimentItem === null ? null : uuidInProject(projectId, experimentItem),
  };
};
