import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import type { Database } from "../database.ts";
import { uuidOf } from "../bytes/text.ts";
import type { TableName } from "../table.ts";

const keyPart = v.union([v.string(), v.instance(Uint8Array)]);
const key = v.object({ pk: keyPart, sk: keyPart });

/** The key of an item of any table. */
export const itemKey = key;
export type ItemKey = v.InferOutput<typeof key>;

/** What is read of an item beside its key: what says of a part or pointer of a trace's document whose it is. */
const found = v.object({
  ...key.entries,
  i: v.optional(v.string()),
  r: v.optional(v.string()),
  w: v.optional(v.number()),
});
export type FoundItem = v.InferOutput<typeof found>;

/** The tables whose keys begin with a project: all but those of who may do what, and of the rate limits. */
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

const isUuid = (text: string): boolean => v.is(v.pipe(v.string(), v.uuid()), text);

/**
 * The project that a key names; null for the service's own. A project's list of days, and what lies beside it, goes when its
 * deletion is proved: its rows are found by it.
 */
export const projectOfKey = ({ pk, sk }: ItemKey): string | null => {
  if (pk instanceof Uint8Array) {
    return pk.length > uuidBytesLength ? uuidOf(pk.subarray(0, uuidBytesLength)) : null;
  }
  // Marks of what has to be computed lie in one partition for all projects.
  const text = pk.startsWith("pending#") ? String(sk) : pk;
  const project = text.slice(0, uuidLength);
  return text.charAt(uuidLength) === "#" && isUuid(project) ? project : null;
};

export interface ScannedPage {
  readonly items: readonly FoundItem[];
  /** How many of them have attributes that could not be read: of those only the keys are known. */
  readonly unreadable: number;
  /** The key after which the next page begins; undefined at the end of the table. */
  readonly next: ItemKey | undefined;
}

/** Reads one page of a segment of a whole table, at most 1 MB of it; may lag writes by seconds. */
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
      ProjectionExpression: "pk, sk, i, r, w",
      ExclusiveStartKey: from,
      ...(segments > 1 && { Segment: segment, TotalSegments: segments }),
    }),
  );
  let unreadable = 0;
  const items = Items.map((item): FoundItem => {
    const read = v.safeParse(found, item);
    if (read.success) return read.output;
    unreadable += 1;
    return v.parse(key, item);
  });
  return {
    items,
    unreadable,
    next: LastEvaluatedKey === undefined ? undefined : v.parse(key, LastEvaluatedKey),
  };
};
