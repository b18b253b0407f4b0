import { paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Database } from "../../../lib/store/database.ts";
import { tableNames, type TableName } from "../../../lib/store/table.ts";
import { sorted } from "../../fuzz/table-dump.ts";

/** An item of any table, and all of it as text but a document's compressed bytes. */
export interface NamingItem {
  readonly table: TableName;
  readonly item: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** The ways in which an item may name an id: as text, in bytes (the text has them in hex), and either of them in base64. */
const formsOf = (id: string): readonly string[] => {
  const hex = id.replaceAll("-", "");
  const encoded = [Buffer.from(id), Buffer.from(hex, "hex")].flatMap((bytes) =>
    // The last characters depend on what follows.
    [bytes.toString("base64"), bytes.toString("base64url")].map((text) => text.slice(0, -4)),
  );
  return [id, hex, ...encoded];
};

/** All items that name one of some ids in whatever form, by reading every table whole; in the order of their texts. */
export const itemsNaming = async (database: Database, ids: readonly string[]): Promise<readonly NamingItem[]> => {
  const forms = ids.filter((id) => id !== "").flatMap(formsOf);
  const found: NamingItem[] = [];
  for (const table of tableNames) {
    const input = { TableName: database.table(table), ConsistentRead: true };
    for await (const { Items = [] } of paginateScan({ client: database.client }, input)) {
      for (const item of Items) {
        const { b: _, ...rest } = item;
        const text = `${table} ${JSON.stringify(sorted(rest))}`;
        if (forms.some((form) => text.includes(form))) found.push({ table, item, text });
      }
    }
  }
  return found.toSorted((a, b) => (a.text < b.text ? -1 : 1));
};
