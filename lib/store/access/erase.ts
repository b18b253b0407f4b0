import * as v from "valibot";
import { roles } from "../../domain/access/role.ts";
import { accessItems } from "./items.ts";
import {
  apiKeyKey,
  auditPartition,
  invitationKey,
  keyExpiryKey,
  organizationKey,
  organizationPartition,
  pendingInvitationKey,
  prefixes,
} from "./keys.ts";
import type { Database } from "../../dynamo/database.ts";
import { erasePartition, type Erase } from "../../dynamo/erase-items.ts";
import { leaveWrites } from "./membership-writes.ts";

const keyEntry = v.object({ pk: v.string(), sk: v.string(), hash: v.string() });
const invitationEntry = v.object({ pk: v.string(), sk: v.string() });
const invitationItem = v.object({ email: v.string() });
const memberItem = v.object({ sk: v.string(), role: v.picklist(roles), created_at: v.string() });

/**
 * Erases members, API keys, invitations and audit trail of a deleted organization. Its projects are deleted
 * separately.
 */
export const eraseOrganization = (database: Database): Erase => {
  const { query, get, write } = accessItems(database);

  return async function* (organizationId) {
    const partition = organizationPartition(organizationId);
    for await (const item of query({ pk: partition, prefix: prefixes.apiKeys })) {
      const { pk, sk, hash } = v.parse(keyEntry, item);
      const expiry = keyExpiryKey(sk.slice(prefixes.apiKeys.length));
      await write([{ remove: apiKeyKey(hash) }, { remove: expiry }, { remove: { pk, sk } }]);
      yield 1;
    }
    for await (const item of query({ pk: partition, prefix: prefixes.invitations })) {
      const { pk, sk } = v.parse(invitationEntry, item);
      const key = invitationKey(sk.slice(prefixes.invitations.length));
      const invitation = await get(key);
      const email = invitation === undefined ? null : v.parse(invitationItem, invitation).email;
      await write([
        { remove: key },
        { remove: { pk, sk } },
        ...(email === null ? [] : [{ remove: pendingInvitationKey(email, organizationId) }]),
      ]);
      yield 1;
    }
    for await (const item of query({ pk: partition, prefix: prefixes.members })) {
      const { sk, role, created_at: createdAt } = v.parse(memberItem, item);
      const userId = sk.slice(prefixes.members.length);
      // A concurrent pass may have removed this membership: then nothing is counted.
      await write(leaveWrites({ organizationId, userId, role, createdAt }));
      yield 1;
    }
    yield* erasePartition(database, "access", auditPartition(organizationId));
  };
};

/** Erases the organization's own item, after all its contents. */
export const eraseOrganizationItem = async (database: Database, organizationId: string): Promise<void> => {
  await accessItems(database).write([{ remove: organizationKey(organizationId) }]);
};
