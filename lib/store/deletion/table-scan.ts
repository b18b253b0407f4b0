import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../../dynamo/database.ts";
import { uuidOf } from "../../dynamo/bytes/text.ts";
import type { TableName } from "../../dynamo/table.ts";

const keyPart = v.union([v.string(), v.instance(Uint8Array)]);
const key = v.object({ pk: keyPart, sk: keyPart });

/** Schema of the primary key of an item of any table. */
export const itemKey = key;
export type ItemKey = v.InferOutput<typeof key>;

const optionalText = v.fallback(v.optional(v.string()), undefined);

/**
 * Schema of a scanned item: its key, the attributes that show to which trace a document part or pointer belongs, and
 * those that show in which lists a run or a score is, and what statistics count of a score.
 */
const scannedItem = v.object({
  ...key.entries,
  i: v.optional(v.string()),
  r: v.optional(v.string()),
  rs: v.optional(v.string()),
  w: v.optional(v.number()),
  st: optionalText,
  status: optionalText,
  list_key: optionalText,
  open_key: optionalText,
  time_key: optionalText,
  dt: optionalText,
  x: optionalText,
  cat: optionalText,
});
export type ScannedItem = v.InferOutput<typeof scannedItem>;

/** Tables whose keys begin with a project id: all but `access` and `limits`. */
export const projectTables = [
  "rows",
  "bodies",
  "scores",
  "runs",
  "monitors",
  "spend",
  "aggregates",
] as const satisfies readonly TableName[];
export type ProjectTable = (typeof projectTables)[number];

const uuidLength = 36;
const uuidBytesLength = 16;

/** Minute before the project in the sort key of a marker that is due later. */
const dueMinute = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}#/u;

const isUuid = (text: string): boolean => v.is(v.pipe(v.string(), v.uuid()), text);

/**
 * Returns the project id in a key; null for items that belong to no project, and for a project's list of days and the
 * items beside it: its rows are found by that list, so it is deleted only when the deletion has been proved complete.
 */
export const projectOfKey = ({ pk, sk }: ItemKey): string | null => {
  if (pk instanceof Uint8Array) {
    return pk.length > uuidBytesLength ? uuidOf(pk.subarray(0, uuidBytesLength)) : null;
  }
  // Pending markers of all projects lie in shared partitions; the project is in the sort key.
  const text = pk.startsWith("pending#") ? String(sk).replace(dueMinute, "") : pk;
  const project = text.slice(0, uuidLength);
  return text.charAt(uuidLength) === "#" && isUuid(project) ? project : null;
};

/** A page of a table scan: the items with a project id, and the key after the page. */
export interface ScannedPage {
  readonly items: readonly ScannedItem[];
  /** Number of items with unreadable attributes: only their keys are returned. */
  readonly unreadable: number;
  /** Key after which the next page begins; undefined at the end of the table. */
  readonly next: ItemKey | undefined;
}

/** Reads one page of a segment of a table, at most 1 MB; may lag writes by seconds. */
export const scanPage = async (
  { client, table }: Database,
  name: ProjectTable,
  from: ItemKey | undefined,
  segment: number,
  segments: number,
): Promise<ScannedPage> => {
  const { Items = [], LastEvaluatedKey } = await client.send(
    new ScanCommand({
      TableName: table(name),
      ProjectionExpression: "pk, sk, i, r, rs, w, st, #status, list_key, open_key, time_key, dt, x, cat",
      ExpressionAttributeNames: { "#status": "status" },
      ExclusiveStartKey: from,
      ...(segments > 1 && { Segment: segment, TotalSegments: segments }),
    }),
  );
  let unreadable = 0;
  const items = Items.map((item): ScannedItem => {
    const parsed = v.safeParse(scannedItem, item);
    if (parsed.success) return parsed.output;
    unreadable += 1;
    return v.parse(key, item);
  });
  return {
    items,
    unreadable,
    next: LastEvaluatedKey === undefined ? undefined : v.parse(key, LastEvaluatedKey),
  };
};
