import { derivedUuid, externalIdOf, uuidInProject } from "../access/identity.ts";
import { epochOf, type Instant } from "../instant.ts";
import type { TraceProvenance } from "../traces/provenance.ts";

/** The traces of one release of an agent over the items of a dataset. */
export interface Experiment {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  /** Dataset as the traces name it: its id, or its name; null if they name none. */
  readonly dataset: string | null;
  /** Start of its earliest trace. */
  readonly startedAt: Instant;
  /** Start of its last trace, or at most `lastStartSlack` before; without meaning if traces name the experiment by an id. */
  readonly lastStartedAt: Instant;
}

/** A trace of an experiment. */
export interface ExperimentTrace {
  readonly traceId: string;
  readonly incarnation: string;
  /** UUID of the item that the trace ran; null if it names none. */
  readonly itemId: string | null;
  /** Id of the item as the client has it if it is no UUID; null without one. */
  readonly itemName: string | null;
  /** Beginning of the input; null without one. */
  readonly input: string | null;
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
  /** Id of the experiment; of the first one of its name if traces name it by no id. */
  readonly id: string;
  /** True if the traces name the experiment by an id, and not by its name alone. */
  readonly hasOwnId: boolean;
  readonly name: string;
  readonly dataset: string | null;
  readonly itemId: string | null;
  readonly itemName: string | null;
}

/** Returns the experiment that a trace names; null if it names none. */
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
    hasOwnId: experimentId !== null,
    name: experiment,
    dataset,
    itemId: experimentItem === null ? null : uuidInProject(projectId, experimentItem),
    itemName: experimentItem === null ? null : externalIdOf(experimentItem),
  };
};

/** Milliseconds by which the recorded last start of an experiment may lag: a write for each trace would double their price. */
export const lastStartSlack = 600_000;

/** Milliseconds after the last trace of an experiment in which a trace of the same name continues it. */
const continuation = 86_400_000;

/**
 * Returns the experiment of a name to which a trace belongs by its start; null if it begins another one. The nearest one takes the trace, so
 * that experiments of a name never overlap and a trace that comes again belongs where it did.
 */
export const experimentAt = (
  experiments: readonly Experiment[],
  { hasOwnId }: ExperimentReference,
  startedAt: Instant,
): Experiment | null => {
  const start = epochOf(startedAt);
  const distances = experiments.map((experiment) => ({
    experiment,
    distance: Math.max(0, epochOf(experiment.startedAt) - start, start - epochOf(experiment.lastStartedAt)),
  }));
  const [nearest] = distances.toSorted((a, b) => a.distance - b.distance);
  if (nearest === undefined) return null;
  return hasOwnId || nearest.distance <= continuation + lastStartSlack ? nearest.experiment : null;
};

/** Hexadecimal digits at the end of an id that number the experiments of a name. */
const numberDigits = 12;

/** Returns what the ids of all experiments of a reference begin with. */
export const idPrefixOf = ({ id, hasOwnId }: ExperimentReference): string =>
  hasOwnId ? id : id.slice(0, -numberDigits);

/** Returns the id of the next experiment of a reference: the first one has the id that name and dataset give. */
export const nextId = (reference: ExperimentReference, existing: readonly Experiment[]): string => {
  if (existing.length === 0) return reference.id;
  const numbers = existing.map(({ id }) => (id === reference.id ? 0 : Number.parseInt(id.slice(-numberDigits), 16)));
  return `${idPrefixOf(reference)}${(Math.max(...numbers) + 1).toString(16).padStart(numberDigits, "0")}`;
};

/** Milliseconds without a new trace after which a later one continues an experiment. */
const pause = 3_600_000;

/** Returns the start of the trace that last continued an experiment after a pause of an hour or more; null if it ran at once. */
export const continuedAt = (traces: readonly ExperimentTrace[]): Instant | null => {
  const starts = traces.map(({ startedAt }) => startedAt).toSorted();
  return starts.findLast((start, at) => epochOf(start) - epochOf(starts[at - 1] ?? start) >= pause) ?? null;
};
