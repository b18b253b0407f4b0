import { GetCommand, paginateQuery, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Instant } from "../../../domain/instant.ts";
import { instantAt } from "../../../domain/instant.ts";
import { byPosition } from "../../../domain/page.ts";
import { auditItem } from "../../access/audit-writes.ts";
import type { Database } from "../../database.ts";
import { succeeds } from "../../failure.ts";

/** Days that what was done is kept. */
const keptDays = 400;

/** Partition of what is repriced of a project. */
export const repricingsPartition = (project: string): string => `${project}#repricings`;

/** Partition of what is not done yet, of all projects. */
const openPartition = "pending#repricings";

/** A range of traces, by start, that gets the prices of the list as it is when they come to their turn. */
export interface Repricing {
  readonly id: string;
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  readonly requestedBy: string;
  readonly requestedAt: Instant;
  readonly status: "PENDING" | "COMPLETED";
  readonly completedAt: Instant | null;
  /** Traces that were looked at, that cost something else now, and that could not be written. */
  readonly looked: number;
  readonly repriced: number;
  readonly failed: number;
}

/** A repricing that is under way: the row that was looked at last. */
export interface OpenRepricing extends Repricing {
  readonly place: { readonly day: string; readonly key: Buffer } | null;
}

/** What is asked for. */
export interface RepricingRequest extends Pick<Repricing, "id" | "from" | "to" | "requestedBy"> {
  readonly organizationId: string;
  readonly project: string;
}

/** What was done of one since it was read. */
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

const read = (value: unknown): OpenRepricing => {
  const { sk, started, ended, by, at, done, day, place, looked, repriced, failed } = v.parse(item, value);
  return {
    id: sk,
    from: started,
    to: ended,
    requestedBy: by,
    requestedAt: at,
    status: done === null ? "PENDING" : "COMPLETED",
    completedAt: done,
    looked,
    repriced,
    failed,
    place: day === null || place === null ? null : { day, key: Buffer.from(place) },
  };
};

const newestFirst = byPosition("desc");
const positionOf = ({ requestedAt, id }: Repricing) => ({ key: requestedAt, id });

/** What is repriced, and how far it has come. */
export const repricingJobs = ({ client, table }: Database, now: () => number = Date.now) => {
  const TableName = table("aggregates");
  const keyOf = (project: string, id: string) => ({ pk: repricingsPartition(project), sk: id });

  const find = async (project: string, id: string): Promise<OpenRepricing | null> => {
    const { Item } = await client.send(new GetCommand({ TableName, Key: keyOf(project, id), ConsistentRead: true }));
    return Item === undefined ? null : read(Item);
  };

  return {
    find,

    /** Asks for a repricing, and notes it in the audit. @returns it, or the one of that id that was asked for before. */
    create: async ({ organizationId, project, ...asked }: RepricingRequest): Promise<Repricing> => {
      const { id, from, to, requestedBy } = asked;
      const requestedAt = instantAt(now());
      const Item = {
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
        ttl: Math.ceil(now() / 1000) + keptDays * 86_400,
      };
      const audited = {
        organizationId,
        by: { kind: "user", userId: requestedBy },
        action: "project.repriced",
        target: project,
        details: { date_from: from, date_to: to },
      } as const;
      const made = await succeeds(
        client.send(
          new TransactWriteCommand({
            TransactItems: [
              { Put: { TableName, Item, ConditionExpression: "attribute_not_exists(pk)" } },
              { Put: { TableName, Item: { pk: openPartition, sk: `${project}#${id}`, token: id } } },
              { Put: { TableName: table("access"), Item: auditItem(audited, now()) } },
            ],
          }),
        ),
      );
      return (made ? null : await find(project, id)) ?? read(Item);
    },

    /** All of a project, newest first. */
    list: async (project: string): Promise<readonly Repricing[]> => {
      const found: Repricing[] = [];
      const pages = paginateQuery(
        { client },
        {
          TableName,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": repricingsPartition(project) },
          ConsistentRead: true,
        },
      );
      for await (const { Items = [] } of pages) found.push(...Items.map(read));
      return found.toSorted((a, b) => newestFirst(positionOf(a), positionOf(b)));
    },

    /** Notes what was done since it was read. @returns false when somebody else has gone on with it meanwhile. */
    advance: async (project: string, before: OpenRepricing, step: RepricingStep): Promise<boolean> =>
      succeeds(
        client.send(
          new UpdateCommand({
            TableName,
            Key: keyOf(project, before.id),
            UpdateExpression:
              "SET #day = :day, #place = :place, looked = :looked, repriced = :repriced, failed = :failed, done = :done",
            ConditionExpression: "looked = :before AND attribute_exists(pk)",
            ExpressionAttributeNames: { "#day": "day", "#place": "place" },
            ExpressionAttributeValues: {
              ":day": step.place?.day ?? null,
              ":place": step.place?.key ?? null,
              ":looked": step.looked,
              ":repriced": step.repriced,
              ":failed": step.failed,
              ":done": step.completedAt,
              ":before": before.looked,
            },
          }),
        ),
      ),
  };
};
