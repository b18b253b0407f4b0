import { randomUUID } from "node:crypto";
import * as v from "valibot";
import type { Database } from "../../../dynamo/database.ts";
import { itemsOf } from "../../../dynamo/items.ts";
import { postponedClientsKey } from "../keys.ts";
import type { ClientHolding } from "./client-holders.ts";

/** Holdings of one write: about 100 bytes each, of an item's 400 KB. */
const holdingsPerWrite = 1_000;

const storedHoldings = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ client: v.string(), organization: v.string() })),
);

/** Parses the attribute `holdings` of the item with postponed clients. @throws ValiError if it is not a list of holdings. */
export const parsePostponed = (holdings: unknown): readonly ClientHolding[] => v.parse(storedHoldings, holdings);

/** Puts clients at the end of the access table's stream. */
export type PostponeClients = (holdings: readonly ClientHolding[]) => Promise<void>;

/** One item is enough: each write of it is a record of the stream, with its holdings. */
export const postponeClients = (database: Database): PostponeClients => {
  const { update } = itemsOf(database, "access");
  return async (holdings) => {
    for (let first = 0; first < holdings.length; first += holdingsPerWrite) {
      const part = holdings.slice(first, first + holdingsPerWrite);
      // A write that changes nothing has no record.
      await update(postponedClientsKey, "SET holdings = :holdings, write_id = :id", {
        values: { ":holdings": JSON.stringify(part), ":id": randomUUID() },
      });
    }
  };
};
