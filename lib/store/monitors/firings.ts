import { GetCommand, paginateQuery, PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { Firing } from "../../domain/monitors/firing.ts";
import { type PageAt, pageOf, type Page } from "../../domain/page.ts";
import type { Database } from "../database.ts";
import { attempts, contended } from "../attempts.ts";
import { refusedActions, ifConditionHolds } from "../failure.ts";
import * as patience from "../patience.ts";
import { creating } from "../runs/codec.ts";
import { runKey } from "../runs/keys.ts";
import { packFiring, unpackFiring } from "./codec.ts";
import { firingKey, firingsOf } from "./keys.ts";

/** Seconds for which firings can be looked at. */
const kept = 30 * 86_400;

export interface Firings {
  /** What was decided about an instant, strongly read; null when nothing was. */
  get(project: string, monitor: string, scheduledAt: number): Promise<Firing | null>;
  /** Decides about an instant. @returns what stands: another's decision when it came first. */
  decide(project: string, monitor: string, firing: Firing): Promise<Firing>;
  /** Says that a run that was decided on has not come to be. @returns false when it has. */
  fail(project: string, monitor: string, run: string, firing: Firing): Promise<boolean>;
  /** One page of a monitor's firings of the last 30 days, newest first. */
  page(project: string, monitor: string, at: PageAt): Promise<Page<Firing>>;
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
      if ((await ifConditionHolds(client.send(put))) !== null) return firing;
      return (await get(project, monitor, firing.scheduledAt)) ?? firing;
    },

    fail: (project, monitor, run, firing) => {
      const actions = [
        { Put: { TableName, Item: itemOf(project, monitor, firing) } },
        {
          ConditionCheck: {
            TableName: table("runs"),
            Key: runKey(project, run),
            ConditionExpression: "attribute_not_exists(pk) OR #status = :creating",
            ExpressionAttributeNames: { "#status": "status" },
            ExpressionAttributeValues: { ":creating": creating },
          },
        },
      ];
      const busy = contended("A firing moved at every attempt to note that it has failed.");
      return attempts<boolean>(patience.worker, busy, async () => {
        const refused = await refusedActions(client.send(new TransactWriteCommand({ TransactItems: actions })));
        return refused.size === 0;
      });
    },

    page: async (project, monitor, at) => {
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
      return pageOf(all(), at, ({ scheduledAt }) => ({ key: scheduledAt, id: "" }));
    },
  };
};
