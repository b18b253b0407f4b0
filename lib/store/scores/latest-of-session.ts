import { createHash, randomUUID } from "node:crypto";
import * as v from "valibot";
import { scoreNumber } from "../../domain/scores/number.ts";
import type { SessionScore } from "../../domain/scores/score.ts";
import type { LatestScore } from "../../domain/scores/session-comparison.ts";
import { withRetries, throwContention } from "../../dynamo/with-retries.ts";
import type { Database } from "../../dynamo/database.ts";
import { ifAbsent, itemsOf, type ItemPage } from "../../dynamo/items.ts";
import { immediateRetryPolicy } from "../../dynamo/retry-policies.ts";
import { isStorable } from "../../dynamo/storable-number.ts";
import { unpackSessionScore } from "./codec.ts";
import { targetQuery } from "./query.ts";
import { projectExistence } from "../access/existing-projects.ts";
import { isLive } from "../../dynamo/is-live.ts";
import { nameHash } from "./statistics-keys.ts";

/** Seconds that the item of a session without scores is stored: longer than any reader runs. */
const emptySeconds = 3600;

const generation = v.object({ g: v.string() });
const latest = v.object({
  session: v.string(),
  score: v.nullable(v.number()),
  /** Value as text, if it is a number that DynamoDB cannot store exactly. */
  text: v.optional(v.string()),
  at: v.string(),
  run: v.nullable(v.string()),
  version: v.nullish(v.string(), null),
});
const entry = v.object({ latest: v.optional(latest) });
const copy = v.object({ d: v.instance(Uint8Array), ttl: v.optional(v.number()) });

/**
 * Scores read in the first page, and the factor by which each further page grows: mostly the newest score is
 * successful.
 */
const [firstPage, growth] = [25, 4];

/** Max scores of a session that are read for its newest successful one: about 100 read units. */
const defaultWindow = 1_000;

/** True if a successful score counts in means; without a value a person made a success of a failure. */
export const hasNumber = ({ data_type: type, applicable }: Pick<SessionScore, "data_type" | "applicable">): boolean =>
  type !== "CATEGORICAL" && applicable !== false;

/** Partition of the newest scores of a project's sessions. */
export const latestPartition = (project: string): string => `${project}#latest`;

/** Prefix of the sort keys of all sessions' newest scores of one name. */
const prefixOf = (name: string): string => `${nameHash(name)}#`;

const keyOf = (project: string, name: string, session: string) => ({
  pk: latestPartition(project),
  sk: `${prefixOf(name)}${createHash("sha256").update(session).digest("base64url")}`,
});

/**
 * Store of the newest successful, applicable score with a number of each name of a session. Each change of a session's scores
 * recomputes the stored score with strongly consistent reads; of concurrent computations the last reader wins.
 *
 * @param window scores of a session, of all names, that are searched; an older one is not found.
 */
export const latestSessionScores = (database: Database, now: () => number = Date.now, window = defaultWindow) => {
  const aggregates = itemsOf(database, "aggregates");
  const projectExists = projectExistence(database);

  const newest = async (project: string, name: string, session: string) => {
    const filter = { target_id: session, name, status: "SUCCESS" } as const;
    const query = targetQuery("session", project, filter, now());
    let [limit, start, remaining]: [number, ItemPage["next"], number] = [firstPage, undefined, window];
    if (query === null) return null;
    do {
      limit = Math.min(limit, remaining);
      const { items, next }: ItemPage = await itemsOf(database, "scores").page({ ...query, start, limit });
      const item = items.map((each) => v.parse(copy, each)).find(({ d }) => hasNumber(unpackSessionScore(d)));
      if (item !== undefined) return item;
      start = next;
      remaining -= limit;
      limit *= growth;
    } while (start !== undefined && remaining > 0);
    return null;
  };

  const compute = async (project: string, name: string, session: string) => {
    const item = await newest(project, name, session);
    if (item === null) return { latest: undefined, ttl: Math.floor(now() / 1000) + emptySeconds };
    const unpacked = unpackSessionScore(item.d);
    const { value, created_at: at, eval_run_id: run, session_version } = unpacked;
    const number = scoreNumber(unpacked);
    const isNumber = number === null || isStorable(number);
    const score = isNumber ? number : null;
    return {
      latest: {
        session,
        score,
        text: isNumber ? undefined : (value ?? undefined),
        at,
        run,
        version: session_version ?? undefined,
      },
      ttl: item.ttl,
    };
  };

  return {
    /** Recomputes the newest score of a session under a name; without scores and item nothing is stored of a deleted project. */
    refresh: async (project: string, name: string, session: string): Promise<void> => {
      const key = keyOf(project, name, session);
      await withRetries(
        immediateRetryPolicy,
        throwContention("The session's newest score changed during every attempt to update it."),
        async () => {
          const item = await aggregates.get(key);
          const before = item === undefined ? null : v.parse(generation, item).g;
          const computed = await compute(project, name, session);
          if (before === null && computed.latest === undefined && !(await projectExists(project))) return;
          await aggregates.put(
            { ...key, ...computed, g: randomUUID() },
            { when: before === null ? ifAbsent : "g = :g", values: { ":g": before } },
          );
        },
      );
    },

    /** Lists the newest scores of a name of all sessions, in no particular order; may lag writes by seconds. */
    list: async (project: string, name: string): Promise<LatestScore[]> => {
      const scores: LatestScore[] = [];
      const query = { pk: latestPartition(project), prefix: prefixOf(name), strongly: false };
      for await (const item of aggregates.query(query)) {
        const latestEntry = v.parse(entry, item).latest;
        if (latestEntry === undefined || !isLive(item, now())) continue;
        const { text, ...latestScore } = latestEntry;
        scores.push(text === undefined ? latestScore : { ...latestScore, score: Number(text) });
      }
      return scores;
    },
  };
};
