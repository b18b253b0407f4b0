import * as v from "valibot";
import type { Deletion } from "../../domain/access/deletion.ts";
import type { Item } from "../../dynamo/items.ts";
import { accessItems } from "../access/items.ts";
import {
  deletionEntryKey,
  deletionKey,
  openDeletionsPartition,
  organizationPartition,
  prefixes,
  userPartition,
  type AccessKey,
} from "../access/keys.ts";
import { batchGet } from "../../dynamo/batch-get.ts";
import type { Database } from "../../dynamo/database.ts";

/**
 * Returns the key of a deletion's list entry: in its organization for a project, in the requesting user for an
 * organization.
 */
export const listedEntryKey = ({
  id,
  kind,
  organizationId,
  requestedBy,
}: Pick<Deletion, "id" | "kind" | "organizationId" | "requestedBy">): AccessKey =>
  deletionEntryKey(kind === "PROJECT" ? organizationPartition(organizationId) : userPartition(requestedBy), id);

const entry = v.object({ pk: v.string(), sk: v.string(), ttl: v.optional(v.number()) });
const receipt = v.object({ pk: v.string(), ttl: v.optional(v.number()) });

/** True if an item of the table `access` is a deletion's list entry without an expiry. */
const isEntryWithoutExpiry = (item: unknown): item is v.InferOutput<typeof entry> =>
  v.is(entry, item) &&
  item.sk.startsWith(prefixes.deletions) &&
  item.pk !== openDeletionsPartition &&
  item.ttl === undefined;

/** Maintains list entries of deletions, which expire together with the receipts that they lead to. */
export const deletionEntries = (database: Database, now: () => number = Date.now) => {
  const { write } = accessItems(database);

  /** Sets the expiry of a deletion's list entry. @param ttl epoch seconds. */
  const expire = async ({ pk, sk }: AccessKey, ttl: number): Promise<void> => {
    await write([
      {
        update: { pk, sk },
        change: "SET #ttl = :ttl",
        // The entry may no longer exist: it is deleted together with its user.
        when: "attribute_exists(pk)",
        values: { ":ttl": ttl },
      },
    ]);
  };

  return {
    expire,

    /**
     * Finds entries without an expiry whose receipts have expired or will: an earlier version of the service wrote
     * them.
     *
     * @param items a page of the table `access`.
     * @returns for each such entry a function that sets its expiry.
     */
    findWithoutExpiry: async (items: readonly Item[]): Promise<readonly (() => Promise<void>)[]> => {
      const entries = items.filter(isEntryWithoutExpiry).map((item) => {
        const { pk } = deletionKey(item.sk.slice(prefixes.deletions.length));
        return { item, receipt: pk };
      });
      const keys = [...new Set(entries.map((each) => each.receipt))].map((pk) => ({ pk, sk: deletionKey("").sk }));
      const receipts = (await batchGet(database, "access", keys)).map((item) => v.parse(receipt, item));
      const ttlByReceipt = new Map(receipts.map(({ pk, ttl }) => [pk, ttl]));
      return entries.flatMap(({ item, receipt: pk }) => {
        const ttl = ttlByReceipt.has(pk) ? ttlByReceipt.get(pk) : Math.floor(now() / 1000);
        return ttl === undefined ? [] : [() => expire(item, ttl)];
      });
    },
  };
};
