import { paginateScan } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { uuidBytes } from "../../../lib/store/bytes/text.ts";
import type { Database } from "../../../lib/store/database.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { sessionPurge } from "../../../lib/store/sessions/removal.ts";
import { keyOfRow } from "../../../lib/store/traces/keys.ts";
import { tracePurge } from "../../../lib/store/remains/purge.ts";
import type { Removal } from "../../../lib/stream/removal-of-record.ts";

type Item = Readonly<Record<string, unknown>>;

const key = v.object({ pk: v.union([v.string(), v.instance(Uint8Array)]) });
const fence = v.object({ sk: v.instance(Uint8Array), x: v.string() });
const tombstone = v.object({ session: v.string(), at: v.number() });

/** What the tables of traces and scores hold of a project, read whole. */
export const itemsOf = async (database: Database, project: string) => {
  const bytes = uuidBytes(project);
  const own = ({ pk }: v.InferOutput<typeof key>): boolean =>
    typeof pk === "string" ? pk.startsWith(project) : Buffer.from(pk).subarray(0, 16).equals(bytes);
  const read = async (table: "rows" | "bodies" | "scores"): Promise<readonly Item[]> => {
    const found: Item[] = [];
    const pages = paginateScan({ client: database.client }, { TableName: database.table(table), ConsistentRead: true });
    for await (const { Items = [] } of pages) found.push(...Items.filter((item) => own(v.parse(key, item))));
    return found;
  };
  const [rows, bodies, scores] = await Promise.all([read("rows"), read("bodies"), read("scores")]);
  return {
    rows: rows.filter((item) => "d" in item),
    fences: rows.filter((item) => "x" in item),
    all: rows,
    bodies,
    scores,
  };
};

/** The deletions that the rows of a project tell of: what the stream says when they come and when they go. */
export const removalsIn = async (database: Database, project: string): Promise<readonly Removal[]> => {
  const { all } = await itemsOf(database, project);
  return all.flatMap((item): readonly Removal[] => {
    if (v.is(fence, item)) {
      const { sk, x: incarnation } = v.parse(fence, item);
      return [{ kind: "trace", project, trace: keyOfRow(sk).traceId, incarnation }];
    }
    if (!v.is(tombstone, item)) return [];
    const { session, at } = v.parse(tombstone, item);
    return [{ kind: "session", project, session, at }];
  });
};

/** Does what a record of the stream has the purge do. */
export const purge = (database: Database, removal: Removal, now: () => number = Date.now): Promise<void> => {
  const scores = scoreRemoval(database);
  return removal.kind === "trace"
    ? tracePurge(database, scores.removeScoresOfTrace).purge(removal.project, removal.trace, removal.incarnation)
    : sessionPurge(database, scores.removeScoresOfSession, now).purge(removal.project, removal.session, removal.at);
};

/** Purges whatever a project has deleted, until nothing new comes of it. */
export const purgeAll = async (database: Database, project: string): Promise<void> => {
  for (let done = -1; ;) {
    const removals = await removalsIn(database, project);
    if (removals.length === done) return;
    done = removals.length;
    for (const removal of removals) await purge(database, removal);
  }
};
