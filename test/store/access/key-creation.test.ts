import { offsetPage } from "../../../lib/domain/page.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fullScope, type KeyScope } from "../../../lib/domain/access/key-scope.ts";
import type { FullRole } from "../../../lib/domain/access/role.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { memberStore } from "../../../lib/store/access/members.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
let organization: string;
let member: string;
beforeAll(async () => {
  database = await startDatabase();
});
beforeEach(async () => {
  const access = accessStore(database, 10);
  organization = await access.createOrganization("Acme");
  member = randomUUID();
  await access.addMember(organization, member, "MEMBER");
});
afterAll(() => database.close());

const make = (userId: string, role: FullRole, scope: KeyScope = fullScope, id: string = randomUUID()) =>
  apiKeyStore(database).create(organization, "k", null, scope, {
    id,
    userId,
    role,
    action: "api_key.created",
    signIn: false,
  });

const keyCount = async (): Promise<number> => (await apiKeyStore(database).page(organization, offsetPage(10, 0))).total;

/** Creation requests whose earlier reads are out of date when they write. */
describe("an API key is not created", () => {
  test("for a user who is no member any more, or whose role has changed", async () => {
    const membership = await memberStore(database).find(organization, member);
    await expect(make(member, "ADMIN")).rejects.toMatchObject({ reason: { kind: "forbidden" } });
    if (membership !== null) await memberStore(database).remove(membership, member);

    await expect(make(member, "MEMBER")).rejects.toMatchObject({ reason: { kind: "forbidden" } });
    expect(await keyCount()).toBe(0);
  });

  test("for a member whose role the organization's settings no longer allow to create keys", async () => {
    const change = (keyMakers: FullRole) =>
      organizationStore(database).change(organization, { name: null, keyMakers }, member);
    await make(member, "MEMBER");
    await change("ADMIN");
    await expect(make(member, "MEMBER")).rejects.toMatchObject({ reason: { kind: "forbidden" } });
    await change("MEMBER");
    await make(member, "MEMBER");

    expect(await keyCount()).toBe(2);
  });

  test("for a deleted project, in a deleted organization, or twice with the same id", async () => {
    const id = randomUUID();
    await make(member, "MEMBER", fullScope, id);

    await expect(make(member, "MEMBER", { access: "full", projectId: randomUUID() })).rejects.toMatchObject({
      reason: { kind: "not-found" },
    });
    await expect(make(member, "MEMBER", fullScope, id)).rejects.toMatchObject({ reason: { kind: "conflict" } });
    await expect(apiKeyStore(database).create(randomUUID(), "k")).rejects.toMatchObject({
      reason: { kind: "not-found" },
    });
    expect(await keyCount()).toBe(1);
  });
});

test("the active keys of a member do not include revoked keys or keys of others", async () => {
  const keys = apiKeyStore(database);
  const [works, revoked] = [await make(member, "MEMBER"), await make(member, "MEMBER")];
  await keys.revoke(organization, revoked.id);
  await keys.create(organization, "operator");

  expect((await keys.activeKeysOf(organization, member)).map(({ id }) => id)).toEqual([works.id]);
});
