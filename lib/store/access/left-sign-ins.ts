import * as v from "valibot";
import { batchGet } from "../batch-get.ts";
import type { Database } from "../database.ts";
import { apiKeyStore } from "./api-keys.ts";
import { accessItems, type Item } from "./items.ts";
import { apiKeyKey, memberKey } from "./keys.ts";

const signInKey = v.object({
  sk: v.literal(apiKeyKey("").sk),
  id: v.string(),
  organization: v.string(),
  maker: v.string(),
  sign_in: v.literal(true),
  revoked_at: v.null(),
});

/**
 * Finds, among some items of the access table, the keys of sign-ins whose maker is no member any more: whoever removed the member
 * died before they were revoked.
 *
 * @returns how each is mended: it is looked at again, and revoked.
 */
export const leftSignIns = (database: Database) => {
  const [keys, { get }] = [apiKeyStore(database), accessItems(database)];

  const revoke = async ({ id, maker, organization }: v.InferOutput<typeof signInKey>): Promise<void> => {
    if ((await get(memberKey(organization, maker))) === undefined) await keys.revoke(organization, id);
  };

  return async (items: readonly Item[]): Promise<readonly (() => Promise<unknown>)[]> => {
    const signIns = items.filter((item) => v.is(signInKey, item));
    const places = new Map(
      signIns.map(({ maker, organization }) => [JSON.stringify([organization, maker]), memberKey(organization, maker)]),
    );
    const members = await batchGet(database, "access", [...places.values()]);
    const there = new Set(members.map(({ pk, sk }) => JSON.stringify([pk, sk])));
    return signIns
      .filter(({ maker, organization }) => {
        const { pk, sk } = memberKey(organization, maker);
        return !there.has(JSON.stringify([pk, sk]));
      })
      .map((key) => () => revoke(key));
  };
};
