import { pageAt } from "../../../lib/domain/page.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { unscoped, type KeyScope } from "../../../lib/domain/access/key-scope.ts";
import type { Role } from "../../../lib/domain/access/role.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { memberStore } from "../../../lib/store/access/members.ts";
import { organizationStore } from "../../../lib/store/access/organizations.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
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

const make = (userId: string, role: Role, scope: KeyScope = unscoped, id: string = randomUUID()) =>
  apiKeyStore(database).create(organization, "k", null, scope, {
    id,
    userId,
    role,
    action: "api_key.created",
    signIn: false,
  });

const made = async (): Promise<number> => (await apiKeyStore(database).page(organization, pageAt(10, 0))).total;

/** What a request that looked a moment ago believes, and is not so any more when it writes. */
describe("a key is not made", () => {
  test("by who is no member any more, or another than was looked at", async () => {
    const membership = await memberStore(database).find(organization, member);
    await expect(make(member, "ADMIN")).rejects.toMatchObject({ reason: { kind: "forbidden" } });
    if (membership !== null) await memberStore(database).remove(membership, member);

    await expect(make(member, "MEMBER")).rejects.toMatchObject({ reason: { kind: "forbidden" } });
    expect(await made()).toBe(0);
  });

  test("by whom the organization lets make none meanwhile", async () => {
    const change = (keyMakers: Role) =>
      organizationStore(database).change(organization, { name: null, keyMakers }, member);
    await make(member, "MEMBER");
    await change("ADMIN");
    await expect(make(member, "MEMBER")).rejects.toMatchObject({ reason: { kind: "forbidden" } });
    await change("MEMBER");
    await make(member, "MEMBER");

    expect(await made()).toBe(2);
  });

  test("for a project that is gone, nor in an organization that is, nor twice under an id", async () => {
    const id = randomUUID();
    await make(member, "MEMBER", unscoped, id);

    await expect(make(member, "MEMBER", { access: "full", projectId: randomUUID() })).rejects.toMatchObject({
      reason: { kind: "not-found" },
    });
    await expect(make(member, "MEMBER", unscoped, id)).rejects.toMatchObject({ reason: { kind: "conflict" } });
    await expect(apiKeyStore(database).create(randomUUID(), "k")).rejects.toMatchObject({
      reason: { kind: "not-found" },
    });
    expect(await made()).toBe(1);
  });
});

test("keys that no longer work are none of those that somebody has made", async () => {
  const keys = apiKeyStore(database);
  const [works, revoked] = [await make(member, "MEMBER"), await make(member, "MEMBER")];
  await keys.revoke(organization, revoked.id);
  await keys.create(organization, "operator");

  expect((await keys.madeBy(organization, member)).map(({ id }) => id)).toEqual([works.id]);
});
