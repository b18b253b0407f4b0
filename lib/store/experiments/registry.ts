import { randomUUID } from "node:crypto";
import {
  experimentAt,
  idPrefixOf,
  lastStartSlack,
  nextId,
  type Experiment,
  type ExperimentReference,
} from "../../domain/experiments/experiment.ts";
import { epochOf, type Instant } from "../../domain/instant.ts";
import type { Database } from "../../dynamo/database.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { ifAbsent, itemsOf } from "../../dynamo/items.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";
import { throwContention, withRetries } from "../../dynamo/with-retries.ts";
import { packExperiment, unpackExperiment, type StoredExperiment } from "./codec.ts";
import { experimentKey, experimentsOf } from "./keys.ts";

/** Names of which a process remembers the experiments, at most. */
const maxKnown = 10_000;

/** A trace of an experiment, by what the experiment's item depends on. */
export interface RegisteredTrace {
  readonly startedAt: Instant;
  /** Epoch seconds after which the trace is gone; undefined if it never expires. */
  readonly expiresAt?: number | undefined;
}

const minOf = (a: Instant, b: Instant): Instant => (a < b ? a : b);
const maxOf = (a: Instant, b: Instant): Instant => (a > b ? a : b);

/** Returns what an experiment is with one more trace; itself if that changes nothing that has to be stored. */
const extended = (
  experiment: StoredExperiment,
  { hasOwnId }: ExperimentReference,
  { startedAt, expiresAt }: RegisteredTrace,
): StoredExperiment => {
  const isLater = !hasOwnId && epochOf(startedAt) > epochOf(experiment.lastStartedAt) + lastStartSlack;
  const outlives = experiment.expiresAt !== undefined && (expiresAt === undefined || expiresAt > experiment.expiresAt);
  if (startedAt >= experiment.startedAt && !isLater && !outlives) return experiment;
  return {
    ...experiment,
    startedAt: minOf(startedAt, experiment.startedAt),
    lastStartedAt: maxOf(startedAt, experiment.lastStartedAt),
    expiresAt: outlives ? expiresAt : experiment.expiresAt,
    token: randomUUID(),
  };
};

/** Items of experiments, by which a trace's reference leads to the experiment of its name and time. */
export const experimentRegistry = (database: Database, now: () => number = Date.now) => {
  const stored = itemsOf(database, "aggregates");
  /** Experiments of a name as this process last saw them: they only grow, so that a trace within one stays there. */
  const experimentsByName = new Map<string, readonly StoredExperiment[]>();

  const read = async (project: string, reference: ExperimentReference, strongly: boolean) =>
    (await stored.list({ ...experimentsOf(project), prefix: idPrefixOf(reference), strongly }))
      .filter((item) => isLive(item, now()))
      .map(unpackExperiment);

  const save = async (project: string, reference: ExperimentReference, trace: RegisteredTrace): Promise<string> => {
    const experiments = await read(project, reference, true);
    const before = experimentAt(experiments, reference, trace.startedAt);
    const existing = experiments.find(({ id }) => id === before?.id);
    const { startedAt, expiresAt } = trace;
    const after =
      existing === undefined
        ? {
            id: nextId(reference, experiments),
            projectId: project,
            name: reference.name,
            dataset: reference.dataset,
            startedAt,
            lastStartedAt: startedAt,
            expiresAt,
            token: randomUUID(),
          }
        : extended(existing, reference, trace);
    if (after !== existing) {
      const values = { ":before": existing?.token, ":now": Math.floor(now() / 1000) };
      const when = existing === undefined ? `${ifAbsent} OR #ttl <= :now` : "g = :before";
      await stored.put({ ...experimentKey(project, after.id), ...packExperiment(after) }, { when, values });
    }
    if (experimentsByName.size >= maxKnown) experimentsByName.clear();
    experimentsByName.set(`${project} ${reference.id}`, [...experiments.filter((each) => each !== existing), after]);
    return after.id;
  };

  return {
    /** Returns the id of a trace's experiment, whose item is written only if the trace changes it. */
    register: async (project: string, reference: ExperimentReference, trace: RegisteredTrace): Promise<string> => {
      const experiments = experimentsByName.get(`${project} ${reference.id}`) ?? [];
      const nearest = experimentAt(experiments, reference, trace.startedAt);
      const existing = experiments.find(({ id }) => id === nearest?.id);
      if (existing !== undefined && extended(existing, reference, trace) === existing) return existing.id;
      const contention = throwContention("The experiment changed during every attempt to add a trace.");
      return await withRetries(immediateRetryPolicy, contention, () => save(project, reference, trace));
    },

    /**
     * Reads the experiment to which a trace belongs by its reference and start, at half a read unit; null if no trace of it was stored.
     * It may lag by seconds.
     */
    resolve: async (
      project: string,
      reference: ExperimentReference,
      traceStart: Instant,
      strongly = false,
    ): Promise<Experiment | null> => experimentAt(await read(project, reference, strongly), reference, traceStart),
  };
};
