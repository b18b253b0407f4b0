import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unscoped } from "../../../lib/domain/access/key-scope.ts";
import { hashApiKey } from "../../../lib/domain/access/identity.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { leftSignIns } from "../../../lib/store/access/left-sign-ins.ts";
import { memberStore } from "../../../lib/store/access/members.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const world = async () => {
  const access = accessStore(database, 10);
  const organization = await access.createOrganization("Acme");
  const [left, stays] = [randomUUID(), randomUUID()];
  const keys = apiKeyStore(database);
  const make = (userId: string, signIn: boolean) =>
    keys.create(organization, "k", null, unscoped, {
      id: randomUUID(),
      userId,
      role: "MEMBER",
      action: "api_key.created",
      signIn,
    });
  for (const userId of [left, stays]) await access.addMember(organization, userId, "MEMBER");
  const made = {
    ended: await make(left, true),
    other: await make(left, false),
    ofMember: await make(stays, true),
    ofOperator: await keys.create(organization, "operator"),
  };
  // The process that removes the member dies before it comes to the keys.
  const membership = await memberStore(database).find(organization, left);
  if (membership !== null) await memberStore(database).remove(membership, stays);
  const revoked = async () => {
    const found = await Promise.all(Object.values(made).map(({ key }) => keys.find(hashApiKey(key))));
    return found.map((key) => key?.revoked);
  };
  const look = async () => {
    const { Items = [] } = await database.client.send(new ScanCommand({ TableName: "access" }));
    return leftSignIns(database)(Items);
  };
  return { access, organization, left, look, revoked };
};

test("the keys of sign-ins end whose maker has gone, and no others, once", async () => {
  const { look, revoked } = await world();

  for (const repair of await look()) await repair();

  expect(await revoked()).toEqual([true, false, false, false]);
  expect(await look()).toEqual([]);
});

test("one who has come back meanwhile keeps theirs", async () => {
  const { access, look, left, organization, revoked } = await world();
  const repairs = await look();
  await access.addMember(organization, left, "MEMBER");

  for (const repair of repairs) await repair();

  expect(repairs).toHaveLength(1);
  expect(await revoked()).toEqual([false, false, false, false]);
});
