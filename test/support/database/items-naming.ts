import { paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../../lib/dynamo/database.ts";
import { tableNames, type TableName } from "../../../lib/dynamo/table.ts";
import { sorted } from "../../fuzz/table-dump.ts";

/** An item of any table, and its text without a document's compressed bytes. */
export interface NamingItem {
  readonly table: TableName;
  readonly item: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Encodings of an id that an item may contain: text, hex (for bytes), and base64 of either. */
const formsOf = (id: string): readonly string[] => {
  const hex = id.replaceAll("-", "");
  const encoded = [Buffer.from(id), Buffer.from(hex, "hex")].flatMap((bytes) =>
    // The last base64 characters depend on the following bytes.
    [bytes.toString("base64"), bytes.toString("base64url")].map((text) => text.slice(0, -4)),
  );
  return [id, hex, ...encoded];
};

/** All items that contain one of some ids in any encoding, found by scanning every table; sorted by text. */
export const itemsNaming = async (database: Database, ids: readonly string[]): Promise<readonly NamingItem[]> => {
  const forms = ids.filter((id) => id !== "").flatMap(formsOf);
  const items: NamingItem[] = [];
  for (const table of tableNames) {
    const input = { TableName: database.table(table), ConsistentRead: true };
    for await (const { Items = [] } of paginateScan({ client: database.client }, input)) {
      for (const item of Items) {
        const { b: _, ...itemWithoutBytes } = item;
        const text = `${table} ${JSON.stringify(sorted(itemWithoutBytes))}`;
        if (forms.some((form) => text.includes(form))) items.push({ table, item, text });
      }
    }
  }
  return items.toSorted((a, b) => (a.text < b.text ? -1 : 1));
};
