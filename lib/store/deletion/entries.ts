import * as v from "valibot";
import type { Deletion } from "../../domain/access/deletion.ts";
import { accessItems, type Item } from "../access/items.ts";
import {
  deletionEntryKey,
  deletionKey,
  openDeletionsPartition,
  organizationPartition,
  prefixes,
  userPartition,
  type AccessKey,
} from "../access/keys.ts";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";

/** A deletion in the list where people find it: a project's in its organization's, an organization's in that of who asked. */
export const listedEntryKey = ({
  id,
  kind,
  organizationId,
  requestedBy,
}: Pick<Deletion, "id" | "kind" | "organizationId" | "requestedBy">): AccessKey =>
  deletionEntryKey(kind === "PROJECT" ? organizationPartition(organizationId) : userPartition(requestedBy), id);

const entry = v.object({ pk: v.string(), sk: v.string(), ttl: v.optional(v.number()) });
const receipt = v.object({ pk: v.string(), ttl: v.optional(v.number()) });

/** Whether an item of the access table is such an entry that says not when it goes. */
const isLasting = (item: unknown): item is v.InferOutput<typeof entry> =>
  v.is(entry, item) &&
  item.sk.startsWith(prefixes.deletions) &&
  item.pk !== openDeletionsPartition &&
  item.ttl === undefined;

/** The entries of deletions: they go with the receipts that they lead to. */
export const deletionEntries = (database: Database, now: () => number = Date.now) => {
  const { write } = accessItems(database);

  /** @param ttl epoch seconds. */
  const expire = async ({ pk, sk }: AccessKey, ttl: number): Promise<void> => {
    await write([
      {
        update: { pk, sk },
        change: "SET #ttl = :ttl",
        // Its user may be gone, and the entry with them.
        when: "attribute_exists(pk)",
        values: { ":ttl": ttl },
      },
    ]);
  };

  return {
    expire,

    /**
     * Finds, in a page of the access table, entries that stay although their receipts do not: those of an earlier version.
     *
     * @returns how each is mended.
     */
    look: async (items: readonly Item[]): Promise<readonly (() => Promise<void>)[]> => {
      const lasting = items.filter(isLasting).map((item) => {
        const { pk } = deletionKey(item.sk.slice(prefixes.deletions.length));
        return { item, receipt: pk };
      });
      const keys = [...new Set(lasting.map((each) => each.receipt))].map((pk) => ({ pk, sk: deletionKey("").sk }));
      const receipts = (await batchGet(database, "access", keys)).map((item) => v.parse(receipt, item));
      const known = new Map(receipts.map(({ pk, ttl }) => [pk, ttl]));
      return lasting.flatMap(({ item, receipt: pk }) => {
        const ttl = known.has(pk) ? known.get(pk) : Math.floor(now() / 1000);
        return ttl === undefined ? [] : [() => expire(item, ttl)];
      });
    },
  };
};
