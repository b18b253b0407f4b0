import { GetCommand, paginateQuery, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { Instant } from "../../domain/instant.ts";
import type {
  CustomDefinition,
  CustomMetric,
  CustomVersion,
  SentMetric,
} from "../../domain/metrics/custom/definition.ts";
import { Refusal } from "../../domain/refusal.ts";
import { unrepeated, type Repeat } from "../../domain/repeat.ts";
import { again, attempts, unavailable } from "../attempts.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { refusedActions } from "../failure.ts";
import * as patience from "../patience.ts";
import { packMetric, packVersion, unpackMetric, unpackVersion, type StoredMetric } from "./codec.ts";
import { headKey, headsOf, metricCountKey, versionKey } from "./keys.ts";

/** Versions that a metric may have. */
const mostVersions = 500;

/** What a metric says, and how it was sent. */
interface Stated {
  readonly definition: CustomDefinition;
  readonly sent: SentMetric;
}

/** A metric to be made. */
interface NewMetric extends Stated {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
}

/** A metric and one of its versions. */
interface MetricAt {
  readonly metric: CustomMetric;
  readonly version: CustomVersion;
}

export interface CustomMetrics {
  /**
   * Stores a new metric, if the project has room for it. One that has the name of a deleted one goes on with its numbers.
   *
   * @param most metrics that a project may have.
   * @returns it as it was made; of a repetition the same.
   * @throws Refusal `forbidden` when there are as many as there may be, `conflict` when the name is taken; as `repeat.met`.
   */
  create(made: NewMetric, most: number, repeat?: Repeat): Promise<MetricAt>;
  /** A metric as it is now, a deleted one too, strongly read; null when there is none. */
  get(project: string, name: string): Promise<CustomMetric | null>;
  /** One version of a metric; null when there is none. */
  version(project: string, name: string, version: number): Promise<CustomVersion | null>;
  /** Those of some names that there are, deleted ones too, strongly read. */
  named(project: string, names: readonly string[]): Promise<readonly CustomMetric[]>;
  /** A project's metrics, deleted ones too, by name, strongly read. */
  list(project: string): AsyncGenerator<CustomMetric>;
  /**
   * Makes a new version; `change` may be asked again when another writer was faster. Where it says what is there nothing is written.
   *
   * @returns null when there is no such metric, or it is deleted.
   */
  change(project: string, name: string, change: (before: CustomVersion) => Stated): Promise<MetricAt | null>;
  /** Makes a metric unavailable for new runs. @returns false when there was none that was available. */
  delete(project: string, name: string): Promise<boolean>;
}

type Actions = NonNullable<TransactWriteCommandInput["TransactItems"]>;

const full = (most: number): Refusal =>
  new Refusal({ kind: "forbidden", detail: `A project has at most ${most} metrics of its own. Delete one first.` });

export const metricTaken = (name: string): Refusal =>
  new Refusal({ kind: "conflict", detail: `The project has a metric ${name}. Change that one, or take another name.` });

const worn = (name: string): Refusal =>
  new Refusal({ kind: "conflict", detail: `The metric ${name} has had ${mostVersions} versions. Make another one.` });

export const customMetricStore = (database: Database, now: () => Instant): CustomMetrics => {
  const { client, table } = database;
  const TableName = table("monitors");

  const read = async (Key: { readonly pk: string; readonly sk: string }) =>
    (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;

  const stored = async (project: string, name: string): Promise<StoredMetric | null> => {
    const found = await read(headKey(project, name));
    return found === undefined ? null : unpackMetric(found);
  };

  const version: CustomMetrics["version"] = async (project, name, number) => {
    const found = await read(versionKey(project, name, number));
    return found === undefined ? null : unpackVersion(found);
  };

  const send = (TransactItems: Actions) => refusedActions(client.send(new TransactWriteCommand({ TransactItems })));

  const putHead = (after: StoredMetric, before: StoredMetric | null): Actions[number] => ({
    Put: {
      TableName,
      Item: { ...headKey(after.metric.projectId, after.metric.name), ...packMetric(after) },
      ...(before === null
        ? { ConditionExpression: "attribute_not_exists(pk)" }
        : { ConditionExpression: "rev = :rev", ExpressionAttributeValues: { ":rev": before.revision } }),
    },
  });

  const putVersion = (project: string, made: CustomVersion): Actions[number] => ({
    Put: {
      TableName,
      Item: { ...versionKey(project, made.name, made.version), ...packVersion(made) },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  });

  const oneMore = (project: string, most: number): Actions[number] => ({
    Update: {
      TableName,
      Key: metricCountKey(project),
      UpdateExpression: "ADD n :one",
      ConditionExpression: "attribute_not_exists(n) OR n < :most",
      ExpressionAttributeValues: { ":one": 1, ":most": most },
    },
  });

  const oneLess = (project: string): Actions[number] => ({
    Update: {
      TableName,
      Key: metricCountKey(project),
      UpdateExpression: "ADD n :minus",
      ExpressionAttributeValues: { ":minus": -1 },
    },
  });

  const busy = unavailable("The project's metrics are being changed by many requests. Try again.");

  const existing = async (project: string, name: string, number: number): Promise<CustomVersion> => {
    const found = await version(project, name, number);
    if (found === null) throw new Error("A metric has lost a version.");
    return found;
  };

  return {
    version,

    get: async (project, name) => (await stored(project, name))?.metric ?? null,

    named: async (project, names) => {
      const keys = [...new Set(names)].map((name) => headKey(project, name));
      return (await batchGet(database, "monitors", keys)).map((found) => unpackMetric(found).metric);
    },

    list: async function* (project) {
      const pages = paginateQuery({ client }, { TableName, ...headsOf(project), ConsistentRead: true });
      for await (const { Items = [] } of pages) {
        for (const item of Items) yield unpackMetric(item).metric;
      }
    },

    create: ({ id, projectId, name, definition, sent }, most, repeat = unrepeated) =>
      attempts(patience.request, busy, async () => {
        const before = await stored(projectId, name);
        if (before !== null && before.metric.id === id) {
          repeat.met(before.bodyHash);
          const { metric } = before;
          const first = await existing(projectId, name, metric.since);
          const { description } = first.definition;
          const versions = metric.versions.slice(0, metric.since);
          return { metric: { ...metric, description, versions, deletedAt: null }, version: first };
        }
        if (before !== null && before.metric.deletedAt === null) throw metricTaken(name);
        const former = before?.metric.versions ?? [];
        if (former.length >= mostVersions) throw worn(name);
        const createdAt = now();
        const made: CustomVersion = { name, version: former.length + 1, definition, sent, createdAt };
        const metric: CustomMetric = {
          id,
          projectId,
          name,
          targetType: definition.targetType,
          kind: definition.kind,
          description: definition.description,
          versions: [...former, createdAt],
          since: made.version,
          deletedAt: null,
        };
        const after = { metric, bodyHash: repeat.bodyHash, revision: (before?.revision ?? 0) + 1 };
        const refused = await send([putHead(after, before), putVersion(projectId, made), oneMore(projectId, most)]);
        if (refused.size === 0) return { metric, version: made };
        if (refused.has(2) && !refused.has(0)) throw full(most);
        return again;
      }),

    change: (project, name, change) =>
      attempts(patience.request, busy, async () => {
        const before = await stored(project, name);
        if (before === null || before.metric.deletedAt !== null) return null;
        const newest = await existing(project, name, before.metric.versions.length);
        const { definition, sent } = change(newest);
        if (JSON.stringify(sent) === JSON.stringify(newest.sent)) return { metric: before.metric, version: newest };
        if (newest.version >= mostVersions) throw worn(name);
        const createdAt = now();
        const made: CustomVersion = { name, version: newest.version + 1, definition, sent, createdAt };
        const metric: CustomMetric = {
          ...before.metric,
          kind: definition.kind,
          description: definition.description,
          versions: [...before.metric.versions, createdAt],
        };
        const after = { ...before, metric, revision: before.revision + 1 };
        const refused = await send([putHead(after, before), putVersion(project, made)]);
        return refused.size === 0 ? { metric, version: made } : again;
      }),

    delete: (project, name) =>
      attempts(patience.request, busy, async () => {
        const before = await stored(project, name);
        if (before === null || before.metric.deletedAt !== null) return false;
        const metric = { ...before.metric, deletedAt: now() };
        const refused = await send([
          putHead({ ...before, metric, revision: before.revision + 1 }, before),
          oneLess(project),
        ]);
        return refused.size === 0 || again;
      }),
  };
};
