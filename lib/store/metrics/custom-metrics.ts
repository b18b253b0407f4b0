import { instantAt, type Instant } from "../../domain/instant.ts";
import type {
  CustomMetricDefinition,
  CustomMetric,
  CustomMetricVersion,
  CustomMetricInput,
} from "../../domain/metrics/custom/definition.ts";
import { Refusal } from "../../domain/refusal.ts";
import { noIdempotency, type IdempotencyCheck } from "../../domain/idempotency-check.ts";
import { tryAgain, withRetries, throwUnavailable } from "../../dynamo/with-retries.ts";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { failedConditions } from "../../dynamo/failure.ts";
import { ifAbsent, itemsOf, type Write } from "../../dynamo/items.ts";
import { requestRetryPolicy } from "../../dynamo/retry-policies.ts";
import { packMetric, packMetricVersion, unpackMetric, unpackMetricVersion, type StoredMetric } from "./codec.ts";
import { metricHeadKey, headsOf, metricCountKey, metricVersionKey } from "./keys.ts";

/** Max versions of a metric. */
const maxVersions = 500;

/** A metric's definition, and its body as the client sent it. */
interface MetricBody {
  readonly definition: CustomMetricDefinition;
  readonly sent: CustomMetricInput;
}

/** A custom metric to be created. */
interface NewMetric extends MetricBody {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
}

/** A custom metric and one of its versions. */
interface MetricWithVersion {
  readonly metric: CustomMetric;
  readonly version: CustomMetricVersion;
}

/** Store of the custom metrics of projects and their versions. */
export interface CustomMetrics {
  /**
   * Stores a new custom metric, if the project has room for it. A metric with the name of a deleted one continues its
   * version numbers.
   *
   * @param maxMetrics max custom metrics of a project.
   * @returns the created metric; for a repeated request the metric as created originally.
   * @throws Refusal `forbidden` when the project has its maximum of metrics, `conflict` when the name is taken; and the
   *   refusals of `repeat.checkReplay`.
   */
  create(newMetric: NewMetric, maxMetrics: number, repeat?: IdempotencyCheck): Promise<MetricWithVersion>;
  /** Reads a metric, deleted ones included, strongly consistent; null when there is none. */
  get(project: string, name: string): Promise<CustomMetric | null>;
  /** Reads one version of a metric; null when there is none. */
  version(project: string, name: string, version: number): Promise<CustomMetricVersion | null>;
  /** Reads metrics by their names, deleted ones included, strongly consistent. */
  findMany(project: string, names: readonly string[]): Promise<readonly CustomMetric[]>;
  /** Lists a project's metrics by name, deleted ones included, strongly consistent. */
  list(project: string): AsyncGenerator<CustomMetric>;
  /**
   * Creates a new version of a metric. `change` is called again when another writer was faster. A change without a
   * difference writes nothing.
   *
   * @returns null when the metric does not exist or is deleted.
   */
  change(
    project: string,
    name: string,
    change: (before: CustomMetricVersion) => MetricBody,
  ): Promise<MetricWithVersion | null>;
  /** Deletes a metric: new runs cannot use it. @returns false when it does not exist or is already deleted. */
  delete(project: string, name: string): Promise<boolean>;
}

const tooManyMetrics = (maxMetrics: number): Refusal =>
  new Refusal({
    kind: "forbidden",
    detail: `A project has at most ${maxMetrics} custom metrics. Delete a metric first.`,
  });

/** Returns the refusal of a custom metric whose name another metric has. */
export const metricNameConflict = (name: string): Refusal =>
  new Refusal({
    kind: "conflict",
    detail: `The project already has a metric ${name}. Change that metric or use another name.`,
  });

const tooManyVersions = (name: string): Refusal =>
  new Refusal({
    kind: "conflict",
    detail: `The metric ${name} has reached its limit of ${maxVersions} versions. Create another metric.`,
  });

export const customMetricStore = (
  database: Database,
  now: () => Instant = () => instantAt(Date.now()),
): CustomMetrics => {
  const items = itemsOf(database, "monitors");

  const readMetric = async (project: string, name: string): Promise<StoredMetric | null> => {
    const item = await items.get(metricHeadKey(project, name));
    return item === undefined ? null : unpackMetric(item);
  };

  const version: CustomMetrics["version"] = async (project, name, number) => {
    const item = await items.get(metricVersionKey(project, name, number));
    return item === undefined ? null : unpackMetricVersion(item);
  };

  const transact = (writes: readonly Write[]) => failedConditions(items.transact(writes));

  const putHead = (after: StoredMetric, before: StoredMetric | null): Write => ({
    put: { ...metricHeadKey(after.metric.projectId, after.metric.name), ...packMetric(after) },
    when: before === null ? ifAbsent : "rev = :rev",
    values: { ":rev": before?.revision },
  });

  const putVersion = (project: string, version: CustomMetricVersion): Write => ({
    put: { ...metricVersionKey(project, version.name, version.version), ...packMetricVersion(version) },
    when: ifAbsent,
  });

  const incrementCount = (project: string, maxMetrics: number): Write => ({
    update: metricCountKey(project),
    change: "ADD n :one",
    when: "attribute_not_exists(n) OR n < :most",
    values: { ":one": 1, ":most": maxMetrics },
  });

  const decrementCount = (project: string): Write => ({
    update: metricCountKey(project),
    change: "ADD n :minus",
    values: { ":minus": -1 },
  });

  const busy = throwUnavailable("The project's metrics are being changed by many requests. Try again.");

  const existingVersion = async (project: string, name: string, number: number): Promise<CustomMetricVersion> => {
    const versionItem = await version(project, name, number);
    if (versionItem === null) throw new Error("A stored version of the metric is missing.");
    return versionItem;
  };

  return {
    version,

    get: async (project, name) => (await readMetric(project, name))?.metric ?? null,

    findMany: async (project, names) => {
      const keys = [...new Set(names)].map((name) => metricHeadKey(project, name));
      return (await batchGet(database, "monitors", keys)).map((item) => unpackMetric(item).metric);
    },

    list: async function* (project) {
      for await (const item of items.query(headsOf(project))) yield unpackMetric(item).metric;
    },

    create: ({ id, projectId, name, definition, sent }, maxMetrics, repeat = noIdempotency) =>
      withRetries(requestRetryPolicy, busy, async () => {
        const before = await readMetric(projectId, name);
        if (before !== null && before.metric.id === id) {
          repeat.checkReplay(before.bodyHash);
          const { metric } = before;
          const first = await existingVersion(projectId, name, metric.since);
          const { description } = first.definition;
          const versions = metric.versions.slice(0, metric.since);
          return { metric: { ...metric, description, versions, deletedAt: null }, version: first };
        }
        if (before !== null && before.metric.deletedAt === null) throw metricNameConflict(name);
        const formerVersions = before?.metric.versions ?? [];
        if (formerVersions.length >= maxVersions) throw tooManyVersions(name);
        const createdAt = now();
        const newVersion: CustomMetricVersion = {
          name,
          version: formerVersions.length + 1,
          definition,
          sent,
          createdAt,
        };
        const metric: CustomMetric = {
          id,
          projectId,
          name,
          targetType: definition.targetType,
          kind: definition.kind,
          description: definition.description,
          versions: [...formerVersions, createdAt],
          since: newVersion.version,
          deletedAt: null,
        };
        const after = { metric, bodyHash: repeat.bodyHash, revision: (before?.revision ?? 0) + 1 };
        const failedWrites = await transact([
          putHead(after, before),
          putVersion(projectId, newVersion),
          incrementCount(projectId, maxMetrics),
        ]);
        if (failedWrites.size === 0) return { metric, version: newVersion };
        if (failedWrites.has(2) && !failedWrites.has(0)) throw tooManyMetrics(maxMetrics);
        return tryAgain;
      }),

    change: (project, name, change) =>
      withRetries(requestRetryPolicy, busy, async () => {
        const before = await readMetric(project, name);
        if (before === null || before.metric.deletedAt !== null) return null;
        const newest = await existingVersion(project, name, before.metric.versions.length);
        const { definition, sent } = change(newest);
        if (JSON.stringify(sent) === JSON.stringify(newest.sent)) return { metric: before.metric, version: newest };
        if (newest.version >= maxVersions) throw tooManyVersions(name);
        const createdAt = now();
        const newVersion: CustomMetricVersion = { name, version: newest.version + 1, definition, sent, createdAt };
        const metric: CustomMetric = {
          ...before.metric,
          kind: definition.kind,
          description: definition.description,
          versions: [...before.metric.versions, createdAt],
        };
        const after = { ...before, metric, revision: before.revision + 1 };
        const failedWrites = await transact([putHead(after, before), putVersion(project, newVersion)]);
        return failedWrites.size === 0 ? { metric, version: newVersion } : tryAgain;
      }),

    delete: (project, name) =>
      withRetries(requestRetryPolicy, busy, async () => {
        const before = await readMetric(project, name);
        if (before === null || before.metric.deletedAt !== null) return false;
        const metric = { ...before.metric, deletedAt: now() };
        const failedWrites = await transact([
          putHead({ ...before, metric, revision: before.revision + 1 }, before),
          decrementCount(project),
        ]);
        return failedWrites.size === 0 || tryAgain;
      }),
  };
};
