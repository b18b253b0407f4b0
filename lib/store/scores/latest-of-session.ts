import { createHash, randomUUID } from "node:crypto";
import { GetCommand, PutCommand, QueryCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { LatestScore } from "../../domain/scores/session-comparison.ts";
import { attempts, contended } from "../attempts.ts";
import type { Database } from "../database.ts";
import * as patience from "../patience.ts";
import { isStorable } from "../storable-number.ts";
import { unpackSessionScore } from "./codec.ts";
import { targetQuery } from "./query.ts";
import { isLive } from "../is-live.ts";
import { nameHash } from "./statistics-keys.ts";

/** Seconds after which it is forgotten that a session has no score any more: longer than any reader takes. */
const emptySeconds = 3600;

const generation = v.object({ g: v.string() });
const latest = v.object({
  session: v.string(),
  score: v.nullable(v.number()),
  /** In place of a number that cannot be stored. */
  text: v.optional(v.string()),
  at: v.string(),
  run: v.nullable(v.string()),
  version: v.nullish(v.string(), null),
});
const entry = v.object({ latest: v.optional(latest) });
const copy = v.object({ d: v.instance(Uint8Array), ttl: v.optional(v.number()) });

/** Scores read at first, and by how many times more after each page without a success: the newest one mostly is. */
const [firstPage, growth] = [25, 4];

/** Partition of the newest scores of a project's sessions. */
export const latestPartition = (project: string): string => `${project}#latest`;

/** What the keys of all scores of a name begin with. */
const prefixOf = (name: string): string => `${nameHash(name)}#`;

const keyOf = (project: string, name: string, session: string) => ({
  pk: latestPartition(project),
  sk: `${prefixOf(name)}${createHash("sha256").update(session).digest("base64url")}`,
});

/**
 * The newest successful numeric score of each name that a session has and that applies. Computed anew from the session's scores, strongly
 * read, when one of them has changed; of two that compute at once the one that read last wins.
 */
export const latestSessionScores = ({ client, table }: Database, now: () => number = Date.now) => {
  const TableName = table("aggregates");

  const newest = async (project: string, name: string, session: string) => {
    const filter = { target_id: session, name, status: "SUCCESS", data_type: "NUMERIC" } as const;
    const query = targetQuery("session", project, filter, now());
    let start: Record<string, unknown> | undefined;
    let Limit = firstPage;
    do {
      const input = { TableName: table("scores"), ...query, ExclusiveStartKey: start, Limit };
      const { Items = [], LastEvaluatedKey } = await client.send(new QueryCommand(input));
      const item = Items.map((each) => v.parse(copy, each)).find(({ d }) => unpackSessionScore(d).applicable !== false);
      if (item !== undefined) return item;
      start = LastEvaluatedKey;
      Limit *= growth;
    } while (start !== undefined);
    return null;
  };

  const compute = async (project: string, name: string, session: string) => {
    const item = await newest(project, name, session);
    if (item === null) return { ttl: Math.floor(now() / 1000) + emptySeconds };
    const { value, created_at: at, eval_run_id: run, session_version } = unpackSessionScore(item.d);
    const told = value === null || isStorable(Number(value));
    const score = value === null || !told ? null : Number(value);
    return {
      latest: { session, score, text: told ? undefined : value, at, run, version: session_version ?? undefined },
      ttl: item.ttl,
    };
  };

  return {
    /** Brings what is known of a session under a name up to date. */
    refresh: async (project: string, name: string, session: string): Promise<void> => {
      const Key = keyOf(project, name, session);
      await attempts(
        patience.brief,
        contended("A session's newest score moved at every attempt to note it."),
        async () => {
          const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
          const before = Item === undefined ? null : v.parse(generation, Item).g;
          const found = await compute(project, name, session);
          await client.send(
            new PutCommand({
              TableName,
              Item: { ...Key, ...found, g: randomUUID() },
              ConditionExpression: before === null ? "attribute_not_exists(pk)" : "g = :g",
              ...(before === null ? {} : { ExpressionAttributeValues: { ":g": before } }),
            }),
          );
        },
      );
    },

    /** The newest score of every session that has one of this name, in no particular order; may lag writes by seconds. */
    list: async (project: string, name: string): Promise<LatestScore[]> => {
      const found: LatestScore[] = [];
      const pages = paginateQuery(
        { client },
        {
          TableName,
          KeyConditionExpression: "pk = :pk AND begins_with(sk, :name)",
          ExpressionAttributeValues: { ":pk": latestPartition(project), ":name": prefixOf(name) },
        },
      );
      for await (const page of pages) {
        for (const item of page.Items ?? []) {
          const known = v.parse(entry, item).latest;
          if (known === undefined || !isLive(item, now())) continue;
          const { text, ...told } = known;
          found.push(text === undefined ? told : { ...told, score: Number(text) });
        }
      }
      return found;
    },
  };
};
