import { GetCommand, paginateQuery, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { Firing } from "../../domain/monitors/firing.ts";
import { pageOf, type Page } from "../../domain/page.ts";
import type { Database } from "../database.ts";
import { unlessRefused } from "../failure.ts";
import { packFiring, unpackFiring } from "./codec.ts";
import { firingKey, firingsOf } from "./keys.ts";

/** Seconds for which firings can be looked at. */
const kept = 30 * 86_400;

export interface Firings {
  /** What was decided about an instant, strongly read; null when nothing was. */
  get(project: string, monitor: string, scheduledAt: number): Promise<Firing | null>;
  /** Decides about an instant. @returns what stands: another's decision when it came first. */
  decide(project: string, monitor: string, firing: Firing): Promise<Firing>;
  /** Says something else about an instant that was decided. */
  replace(project: string, monitor: string, firing: Firing): Promise<void>;
  /** One page of a monitor's firings of the last 30 days, newest first. */
  page(project: string, monitor: string, limit: number, offset: number): Promise<Page<Firing>>;
}

export const firingStore = ({ client, table }: Database, now: () => number = Date.now): Firings => {
  const TableName = table("monitors");

  const itemOf = (project: string, monitor: string, firing: Firing) => ({
    ...firingKey(project, monitor, firing.scheduledAt),
    d: packFiring(firing),
    ttl: Math.ceil(now() / 1000) + kept,
  });

  const get: Firings["get"] = async (project, monitor, scheduledAt) => {
    const Key = firingKey(project, monitor, scheduledAt);
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    return Item === undefined ? null : unpackFiring(Item);
  };

  return {
    get,

    decide: async (project, monitor, firing) => {
      const Item = itemOf(project, monitor, firing);
      const put = new PutCommand({ TableName, Item, ConditionExpression: "attribute_not_exists(pk)" });
      if ((await unlessRefused(client.send(put))) !== null) return firing;
      return (await get(project, monitor, firing.scheduledAt)) ?? firing;
    },

    replace: async (project, monitor, firing) => {
      await client.send(new PutCommand({ TableName, Item: itemOf(project, monitor, firing) }));
    },

    page: async (project, monitor, limit, offset) => {
      const pages = paginateQuery(
        { client },
        {
          TableName,
          ...firingsOf(project, monitor),
          FilterExpression: "#ttl > :now",
          ExpressionAttributeNames: { "#ttl": "ttl" },
          ExpressionAttributeValues: {
            ...firingsOf(project, monitor).ExpressionAttributeValues,
            ":now": Math.floor(now() / 1000),
          },
          ScanIndexForward: false,
        },
      );
      const all = async function* (): AsyncGenerator<Firing> {
        for await (const { Items } of pages) for (const item of Items ?? []) yield unpackFiring(item);
      };
      return pageOf(all(), limit, offset);
    },
  };
};
