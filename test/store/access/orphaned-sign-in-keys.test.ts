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
  const [formerMember, labeller, member] = [randomUUID(), randomUUID(), randomUUID()];
  const keys = apiKeyStore(database);
  const make = (userId: string, signIn: boolean) =>
    keys.create(organization, "k", null, fullScope, {
      id: randomUUID(),
      userId,
      role: "MEMBER",
      action: "api_key.created",
      signIn,
    });
  for (const userId of [formerMember, labeller, member]) await access.addMember(organization, userId, "MEMBER");
  const createdKeys = {
    ended: await make(formerMember, true),
    other: await make(formerMember, false),
    ofLabeller: await make(labeller, true),
    ofMember: await make(member, true),
    ofOperator: await keys.create(organization, "operator"),
  };
  // The process that removes or changes the member dies before it revokes the keys.
  const members = memberStore(database);
  const [membership, changed] = [
    await members.find(organization, formerMember),
    await members.find(organization, labeller),
  ];
  if (membership !== null) await members.remove(membership, member);
  if (changed !== null) await members.changeRole(changed, "LABELLER", member);
  const revokedFlags = async () => {
    const storedKeys = await Promise.all(Object.values(createdKeys).map(({ key }) => keys.find(hashApiKey(key))));
    return storedKeys.map((key) => key?.revoked);
  };
  const findRepairs = async () => {
    const { items } = await accessScan(database, 1_000)(null);
    return orphanedSignInKeys(database)(items);
  };
  return { access, organization, formerMember, labeller, findRepairs, revokedFlags };
};

test("the repair revokes the sign-in keys of former members and of labellers, no other keys, and only once", async () => {
  const { findRepairs, revokedFlags } = await setUp();

  for (const repair of await findRepairs()) await repair();

  expect(await revokedFlags()).toEqual([true, false, true, false, false]);
  expect(await findRepairs()).toEqual([]);
});

test("a member who has rejoined, or is no labeller any more, keeps their sign-in keys", async () => {
  const { access, findRepairs, formerMember, labeller, organization, revokedFlags } = await setUp();
  const repairs = await findRepairs();
  await access.addMember(organization, formerMember, "MEMBER");
  const members = memberStore(database);
  const membership = await members.find(organization, labeller);
  if (membership !== null) await members.changeRole(membership, "MEMBER", formerMember);

  for (const repair of repairs) await repair();

  expect(repairs).toHaveLength(2);
  expect(await revokedFlags()).toEqual([false, false, false, false, false]);
});
