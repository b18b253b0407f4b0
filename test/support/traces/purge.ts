import { paginateScan } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { uuidBytes } from "../../../lib/dynamo/bytes/text.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { sessionPurge } from "../../../lib/store/sessions/removal.ts";
import { keyOfRow } from "../../../lib/store/traces/keys.ts";
import { tracePurge } from "../../../lib/store/garbage/purge.ts";
import type { Removal } from "../../../lib/store/scores/purge.ts";

type Item = Readonly<Record<string, unknown>>;

const key = v.object({ pk: v.union([v.string(), v.instance(Uint8Array)]) });
const fence = v.object({ sk: v.instance(Uint8Array), x: v.string() });
const tombstone = v.object({ session: v.string(), at: v.number() });

/** A project's items in the tables of traces and scores. */
export const itemsOf = async (database: Database, project: string) => {
  const bytes = uuidBytes(project);
  const belongsToProject = ({ pk }: v.InferOutput<typeof key>): boolean =>
    typeof pk === "string" ? pk.startsWith(project) : Buffer.from(pk).subarray(0, 16).equals(bytes);
  const readTable = async (table: "rows" | "bodies" | "scores"): Promise<readonly Item[]> => {
    const items: Item[] = [];
    const pages = paginateScan({ client: database.client }, { TableName: database.table(table), ConsistentRead: true });
    for await (const { Items = [] } of pages)
      items.push(...Items.filter((item) => belongsToProject(v.parse(key, item))));
    return items;
  };
  const [rows, bodies, scores] = await Promise.all([readTable("rows"), readTable("bodies"), readTable("scores")]);
  /** True for the pointer of a deleted trace, which has no part and rejects telemetry for 24 hours. */
  const isDeletedPointer = (item: Item): boolean => "x" in item && !("b" in item);
  return {
    rows: rows.filter((item) => "d" in item),
    fences: rows.filter((item) => "x" in item),
    allItems: rows,
    bodies: bodies.filter((item) => !isDeletedPointer(item)),
    deletedPointers: bodies.filter(isDeletedPointer),
    scores,
  };
};

/** The removals that follow from the rows of a project, as the stream reports them. */
export const removalsIn = async (database: Database, project: string): Promise<readonly Removal[]> => {
  const { allItems } = await itemsOf(database, project);
  return allItems.flatMap((item): readonly Removal[] => {
    if (v.is(fence, item)) {
      const { sk, x: incarnation } = v.parse(fence, item);
      return [{ kind: "trace", project, trace: keyOfRow(sk).traceId, incarnation }];
    }
    if (!v.is(tombstone, item)) return [];
    const { session, at } = v.parse(tombstone, item);
    return [{ kind: "session", project, session, at }];
  });
};

/** Runs the purge for one removal. */
export const purge = (database: Database, removal: Removal, now: () => number = Date.now): Promise<void> => {
  const scores = scoreRemoval(database);
  return removal.kind === "trace"
    ? tracePurge(database, scores.removeScoresOfTrace, now).purge(removal.project, removal.trace, removal.incarnation)
    : sessionPurge(database, scores.removeScoresOfSession, now).purge(removal.project, removal.session, removal.at);
};

/** Purges all deleted data of a project until no new removal follows. */
export const purgeAll = async (database: Database, project: string, now: () => number = Date.now): Promise<void> => {
  for (let purgedCount = -1; ;) {
    const removals = await removalsIn(database, project);
    if (removals.length === purgedCount) return;
    purgedCount = removals.length;
    for (const removal of removals) await purge(database, removal, now);
  }
};
