import { randomUUID } from "node:crypto";
import { DeleteCommand, PutCommand, QueryCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { ifConditionHolds } from "../failure.ts";

/** That something has changed and what is computed from it has not been computed again. */
export interface PendingMark {
  readonly project: string;
  /** What it is, within the project. */
  readonly name: string;
  /** New with every change. */
  readonly token: string;
}

export interface PendingMarks {
  mark(project: string, name: string): Promise<void>;
  /** The marks of a project, or of all of them. */
  list(project?: string): AsyncGenerator<PendingMark>;
  /** Marks behind a place in the list of all, see `placeOf`, in its order: so many at most. */
  behind(place: string, most: number): Promise<readonly PendingMark[]>;
  /** Takes a mark away unless there was another change since it was read. */
  clear(mark: PendingMark): Promise<void>;
}

const item = v.object({ sk: v.string(), token: v.string() });

/** The marks among some items: what somebody else has put there keeps no hour waiting. */
const marksIn = (items: readonly unknown[]): readonly PendingMark[] =>
  items
    .filter((value) => v.is(item, value))
    .map(({ sk, token }) => {
      const cut = sk.indexOf("#");
      return { project: sk.slice(0, cut), name: sk.slice(cut + 1), token };
    });

/** Where a mark stands in the list of all: by project, then by name. */
export const placeOf = ({ project, name }: Pick<PendingMark, "project" | "name">): string => `${project}#${name}`;

/** Behind all marks of a project, and before those of the next; of "": before all. DynamoDB compares no key with an empty text. */
export const placeBehind = (project: string): string => `${project}$`;

/** @param kind what is marked: each kind has a partition of its own, which only holds what is too early to compute. */
export const pendingMarks = ({ client, table }: Database, kind: "hours" | "documents" | "repricings"): PendingMarks => {
  const pk = `pending#${kind}`;
  return {
    mark: async (project, name) => {
      const Item = { pk, sk: placeOf({ project, name }), token: randomUUID() };
      await client.send(new PutCommand({ TableName: table("aggregates"), Item }));
    },
    list: async function* (project = "") {
      const pages = paginateQuery(
        { client },
        {
          TableName: table("aggregates"),
          KeyConditionExpression: project === "" ? "pk = :pk" : "pk = :pk AND begins_with(sk, :project)",
          ExpressionAttributeValues: { ":pk": pk, ...(project === "" ? {} : { ":project": `${project}#` }) },
        },
      );
      for await (const { Items = [] } of pages) yield* marksIn(Items);
    },
    behind: async (place, most) => {
      const found: PendingMark[] = [];
      for (let after = place; ;) {
        const { Items = [] } = await client.send(
          new QueryCommand({
            TableName: table("aggregates"),
            KeyConditionExpression: "pk = :pk AND sk > :place",
            ExpressionAttributeValues: { ":pk": pk, ":place": after },
            Limit: most,
          }),
        );
        found.push(...marksIn(Items));
        const last = Items.at(-1);
        if (last === undefined || Items.length < most || found.length >= most) return found.slice(0, most);
        after = String(last["sk"]);
      }
    },
    clear: async ({ token, ...mark }) => {
      await ifConditionHolds(
        client.send(
          new DeleteCommand({
            TableName: table("aggregates"),
            Key: { pk, sk: placeOf(mark) },
            ConditionExpression: "#token = :token",
            ExpressionAttributeNames: { "#token": "token" },
            ExpressionAttributeValues: { ":token": token },
          }),
        ),
      );
    },
  };
};
