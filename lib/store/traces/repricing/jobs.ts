import * as v from "valibot";
import { type Instant, instantAt } from "../../../domain/instant.ts";
import { byPosition } from "../../../domain/page.ts";
import { auditItem } from "../../access/audit-writes.ts";
import type { Database } from "../../../dynamo/database.ts";
import { succeeds } from "../../../dynamo/failure.ts";
import { ifAbsent, itemsOf } from "../../../dynamo/items.ts";

/** Days a repricing job is kept. */
const retentionDays = 400;

/** Returns the partition key of a project's repricings. */
export const repricingsPartition = (project: string): string => `${project}#repricings`;

/** Returns the key of a repricing. */
export const repricingKey = (project: string, id: string) => ({ pk: repricingsPartition(project), sk: id });

/** Partition of the unfinished repricings of all projects. */
const openPartition = "pending#repricings";

/** A job that applies the current price list to the traces that start in a range. */
export interface Repricing {
  readonly id: string;
  readonly from: Instant;
  /** End of the range of starts, exclusive. */
  readonly to: Instant;
  readonly requestedBy: string;
  readonly requestedAt: Instant;
  readonly status: "PENDING" | "COMPLETED";
  readonly completedAt: Instant | null;
  /** Number of traces examined so far. */
  readonly looked: number;
  /** Number of examined traces whose costs have changed. */
  readonly repriced: number;
  /** Number of examined traces whose new costs could not be stored. */
  readonly failed: number;
}

/** A day of a repricing that a worker has, or that a dead worker began. */
export interface DayLane {
  readonly day: string;
  /** Random word of the worker's lease. */
  readonly owner: string;
  /** End of the lease, epoch milliseconds. */
  readonly until: number;
  /** Sort key of the last examined row; null before the first row. */
  readonly key: Uint8Array | null;
  /** Number of rows of the day that were examined. */
  readonly looked: number;
}

/** A repricing with its days in work. */
export interface OpenRepricing extends Repricing {
  /** The last day that a worker claimed; null before the first. */
  readonly lastDay: string | null;
  /** Place in `lastDay` of a repricing of an earlier version, which had no lanes: the day is still to be claimed. */
  readonly place: Uint8Array | null;
  /** Days in work; null in a repricing of an earlier version. */
  readonly lanes: readonly DayLane[] | null;
}

/** A request for a repricing. */
export interface RepricingRequest extends Pick<Repricing, "id" | "from" | "to" | "requestedBy"> {
  readonly organizationId: string;
  readonly project: string;
}

/** Progress in a day: the last examined row, and the numbers of rows since the step before. */
export interface RepricingStep extends Pick<Repricing, "looked" | "repriced" | "failed"> {
  readonly key: Uint8Array;
}

const bytes = v.instance(Uint8Array);

const laneItem = v.object({
  day: v.string(),
  owner: v.string(),
  until: v.number(),
  key: v.nullable(bytes),
  looked: v.number(),
});

const item = v.object({
  sk: v.string(),
  started: v.string(),
  ended: v.string(),
  by: v.string(),
  at: v.string(),
  done: v.nullable(v.string()),
  day: v.nullable(v.string()),
  place: v.nullable(bytes),
  lanes: v.optional(v.record(v.string(), laneItem)),
  looked: v.number(),
  repriced: v.number(),
  failed: v.number(),
});

const unpackJob = (value: unknown): OpenRepricing => {
  const {
    sk,
    started,
    ended: rangeEnd,
    by: requestedBy,
    at,
    done: completedAt,
    day: lastDay,
    place,
    lanes,
    looked,
    repriced,
    failed,
  } = v.parse(item, value);
  return {
    id: sk,
    from: started,
    to: rangeEnd,
    requestedBy,
    requestedAt: at,
    status: completedAt === null ? "PENDING" : "COMPLETED",
    completedAt,
    looked,
    repriced,
    failed,
    lastDay,
    place,
    lanes: lanes === undefined ? null : Object.values(lanes),
  };
};

const newestFirst = byPosition("desc");
const positionOf = ({ requestedAt, id }: Repricing) => ({ key: requestedAt, id });

/** Store of repricing jobs and their progress. */
export const repricingJobs = (database: Database, now: () => number = Date.now) => {
  const aggregates = itemsOf(database, "aggregates");

  const find = async (project: string, id: string): Promise<OpenRepricing | null> => {
    const jobItem = await aggregates.get(repricingKey(project, id));
    return jobItem === undefined ? null : unpackJob(jobItem);
  };

  return {
    find,

    /** Creates a repricing and its audit event. @returns the repricing, or the existing one with the same id. */
    create: async ({ organizationId, project, ...request }: RepricingRequest): Promise<Repricing> => {
      const { id, from, to, requestedBy } = request;
      const requestedAt = instantAt(now());
      const jobItem = {
        ...repricingKey(project, id),
        started: from,
        ended: to,
        by: requestedBy,
        at: requestedAt,
        done: null,
        day: null,
        place: null,
        lanes: {},
        looked: 0,
        repriced: 0,
        failed: 0,
        ttl: Math.ceil(now() / 1000) + retentionDays * 86_400,
      };
      const auditEvent = {
        organizationId,
        actor: { kind: "user", userId: requestedBy },
        action: "project.repriced",
        target: project,
        details: { date_from: from, date_to: to },
      } as const;
      const isCreated = await succeeds(
        aggregates.transact([
          { put: jobItem, when: ifAbsent },
          { put: { pk: openPartition, sk: `${project}#${id}`, token: id } },
          { table: "access", put: auditItem(auditEvent, now()) },
        ]),
      );
      return (isCreated ? null : await find(project, id)) ?? unpackJob(jobItem);
    },

    /** Returns all repricings of a project, newest first. */
    list: async (project: string): Promise<readonly Repricing[]> => {
      const jobs = (await aggregates.list({ pk: repricingsPartition(project) })).map(unpackJob);
      return jobs.toSorted((a, b) => newestFirst(positionOf(a), positionOf(b)));
    },
  };
};
