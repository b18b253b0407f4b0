import * as v from "valibot";
import { uuidBytes } from "../../dynamo/bytes/text.ts";
import type { Database } from "../../dynamo/database.ts";
import { itemsOf } from "../../dynamo/items.ts";
import { mentionRange, traceOfMention } from "../traces/keys.ts";
import type { TraceReader } from "../traces/reader.ts";
import type { TraceRow } from "../../domain/traces/row.ts";

/** Max traces of other sessions that a session names. */
const maxMentions = 100;

const mentionItem = v.object({ sk: v.instance(Uint8Array) });

/**
 * Returns a function that reads the rows of traces that have spans of a session and belong to another one, by start: at
 * most 100. A trace with spans of one session has no mention; that of a deleted trace stays and is left out.
 */
export const sessionMentions = (database: Database, reader: Pick<TraceReader, "pointerSnapshots" | "rowsAt">) => {
  const rows = itemsOf(database, "rows");
  return async (project: string, session: string): Promise<readonly TraceRow[]> => {
    const between = mentionRange(project, session);
    const { items } = await rows.page({ pk: uuidBytes(project), between, limit: maxMentions, strongly: false });
    if (items.length === 0) return [];
    const ids = items.map((item) => traceOfMention(v.parse(mentionItem, item).sk));
    const snapshots = await reader.pointerSnapshots(project, ids);
    const pointers = new Map(Array.from(snapshots, ([id, { pointer }]) => [id, pointer]));
    return [...(await reader.rowsAt(project, pointers)).values()]
      .map(({ row }) => row)
      .filter(({ sessionId }) => sessionId !== session)
      .toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  };
};
