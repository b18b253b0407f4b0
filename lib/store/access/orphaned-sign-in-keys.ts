import * as v from "valibot";
import { batchGet } from "../../dynamo/batches.ts";
import type { Database } from "../../dynamo/database.ts";
import { apiKeyStore } from "./api-keys.ts";
import type { Item } from "../../dynamo/items.ts";
import { accessItems } from "./items.ts";
import { apiKeyKey, memberKey } from "./keys.ts";

const signInKey = v.object({
  sk: v.literal(apiKeyKey("").sk),
  id: v.string(),
  organization: v.string(),
  maker: v.string(),
  sign_in: v.literal(true),
  revoked_at: v.null(),
});

/** True if the keys of a member's sign-ins stay valid. */
const keepsKeys = (member: Item | undefined): boolean => member !== undefined && member["role"] !== "LABELLER";

/**
 * Finds, among items of the access table, CLI sign-in keys whose creator is not a member any more or only a labeller, because
 * the process that removed or changed the member died before it revoked them.
 *
 * @returns one repair function per key, which checks the membership again and revokes the key.
 */
export const orphanedSignInKeys = (database: Database) => {
  const [keys, { get }] = [apiKeyStore(database), accessItems(database)];

  const revoke = async ({ id, maker, organization }: v.InferOutput<typeof signInKey>): Promise<void> => {
    if (!keepsKeys(await get(memberKey(organization, maker)))) await keys.revoke(organization, id);
  };

  return async (items: readonly Item[]): Promise<readonly (() => Promise<unknown>)[]> => {
    const signIns = items.filter((item) => v.is(signInKey, item));
    const memberKeyByMaker = new Map(
      signIns.map(({ maker, organization }) => [JSON.stringify([organization, maker]), memberKey(organization, maker)]),
    );
    const members = await batchGet(database, "access", [...memberKeyByMaker.values()]);
    const memberKeys = new Set(members.filter(keepsKeys).map(({ pk, sk }) => JSON.stringify([pk, sk])));
    return signIns
      .filter(({ maker, organization }) => {
        const { pk, sk } = memberKey(organization, maker);
        return !memberKeys.has(JSON.stringify([pk, sk]));
      })
      .map((key) => () => revoke(key));
  };
};
