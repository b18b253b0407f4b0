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

/** A repricing in progress; `place` is the day and sort key of the last examined row, null before the first row. */
export interface OpenRepricing extends Repricing {
  readonly place: { readonly day: string; readonly key: Buffer } | null;
}

/** A request for a repricing. */
export interface RepricingRequest extends Pick<Repricing, "id" | "from" | "to" | "requestedBy"> {
  readonly organizationId: string;
  readonly project: string;
}

/** Progress of a repricing since it was read. */
export type RepricingStep = Pick<OpenRepricing, "place" | "looked" | "repriced" | "failed" | "completedAt">;

const item = v.object({
  sk: v.string(),
  started: v.string(),
  ended: v.string(),
  by: v.string(),
  at: v.string(),
  done: v.nullable(v.string()),
  day: v.nullable(v.string()),
  place: v.nullable(v.instance(Uint8Array)),
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
    day,
    place,
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
    place: day === null || place === null ? null : { day, key: Buffer.from(place) },
  };
};

const newestFirst = byPosition("desc");
const positionOf = ({ requestedAt, id }: Repricing) => ({ key: requestedAt, id });

/** Store of repricing jobs and their progress. */
export const repricingJobs = (database: Database, now: () => number = Date.now) => {
  const aggregates = itemsOf(database, "aggregates");
  const keyOf = (project: string, id: string) => ({ pk: repricingsPartition(project), sk: id });

  const find = async (project: string, id: string): Promise<OpenRepricing | null> => {
    const jobItem = await aggregates.get(keyOf(project, id));
    return jobItem === undefined ? null : unpackJob(jobItem);
  };

  return {
    find,

    /** Creates a repricing and its audit event. @returns the repricing, or the existing one with the same id. */
    create: async ({ organizationId, project, ...request }: RepricingRequest): Promise<Repricing> => {
      const { id, from, to, requestedBy } = request;
      const requestedAt = instantAt(now());
      const jobItem = {
        ...keyOf(project, id),
        started: from,
        ended: to,
        by: requestedBy,
        at: requestedAt,
        done: null,
        day: null,
        place: null,
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

    /**
     * Stores progress made since the repricing was read.
     *
     * @returns false when another worker has continued it meanwhile.
     */
    advance: async (project: string, before: OpenRepricing, step: RepricingStep): Promise<boolean> =>
      succeeds(
        aggregates.update(
          keyOf(project, before.id),
          "SET #day = :day, #place = :place, looked = :looked, repriced = :repriced, failed = :failed, done = :done",
          {
            when: "looked = :before AND attribute_exists(pk)",
            values: {
              ":day": step.place?.day ?? null,
              ":place": step.place?.key ?? null,
              ":looked": step.looked,
              ":repriced": step.repriced,
              ":failed": step.failed,
              ":done": step.completedAt,
              ":before": before.looked,
            },
          },
        ),
      ),
  };
};
