import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fullScope } from "../../../lib/domain/access/key-scope.ts";
import { hashApiKey } from "../../../lib/domain/access/identity.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { accessScan } from "../../../lib/store/access/scan.ts";
import { orphanedSignInKeys } from "../../../lib/store/access/orphaned-sign-in-keys.ts";
import { memberStore } from "../../../lib/store/access/members.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const setUp = async () => {
  const access = accessStore(database, 10);
  const organization = await access.createOrganization("Acme");
  const [formerMember, member] = [randomUUID(), randomUUID()];
  const keys = apiKeyStore(database);
  const make = (userId: string, signIn: boolean) =>
    keys.create(organization, "k", null, fullScope, {
      id: randomUUID(),
      userId,
      role: "MEMBER",
      action: "api_key.created",
      signIn,
    });
  for (const userId of [formerMember, member]) await access.addMember(organization, userId, "MEMBER");
  const createdKeys = {
    ended: await make(formerMember, true),
    other: await make(formerMember, false),
    ofMember: await make(member, true),
    ofOperator: await keys.create(organization, "operator"),
  };
  // The process that removes the member dies before it revokes the keys.
  const membership = await memberStore(database).find(organization, formerMember);
  if (membership !== null) await memberStore(database).remove(membership, member);
  const revokedFlags = async () => {
    const storedKeys = await Promise.all(Object.values(createdKeys).map(({ key }) => keys.find(hashApiKey(key))));
    return storedKeys.map((key) => key?.revoked);
  };
  const findRepairs = async () => {
    const { items } = await accessScan(database, 1_000)(null);
    return orphanedSignInKeys(database)(items);
  };
  return { access, organization, formerMember, findRepairs, revokedFlags };
};

test("the repair revokes the sign-in keys of former members, no other keys, and only once", async () => {
  const { findRepairs, revokedFlags } = await setUp();

  for (const repair of await findRepairs()) await repair();

  expect(await revokedFlags()).toEqual([true, false, false, false]);
  expect(await findRepairs()).toEqual([]);
});

test("a member who has rejoined keeps their sign-in keys", async () => {
  const { access, findRepairs, formerMember, organization, revokedFlags } = await setUp();
  const repairs = await findRepairs();
  await access.addMember(organization, formerMember, "MEMBER");

  for (const repair of repairs) await repair();

  expect(repairs).toHaveLength(1);
  expect(await revokedFlags()).toEqual([false, false, false, false]);
});
