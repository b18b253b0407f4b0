import { DeleteCommand, GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { type SignedInUser, userStore } from "../../../lib/store/access/users.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { isOn, once, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const start = Date.parse("2026-10-01T10:00:00Z");
const ann = (fields: Partial<SignedInUser> = {}): SignedInUser => ({
  userId: randomUUID(),
  email: "ann@example.com",
  displayName: "Ann",
  ...fields,
});

const isTransaction = ({ operation }: { readonly operation: string }): boolean => operation === "TransactWriteItems";

const readItem = async (pk: string, sk: string): Promise<Record<string, unknown> | undefined> =>
  (await database.client.send(new GetCommand({ TableName: "access", Key: { pk, sk }, ConsistentRead: true }))).Item;

const userItem = (userId: string) => readItem(`user#${userId}`, "user");

/** Names and roles of a user's organizations, by the user's own list and by the member list of each organization. */
const organizationsOf = async (userId: string): Promise<readonly unknown[]> => {
  const { Items = [] } = await database.client.send(
    new QueryCommand({
      TableName: "access",
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :member)",
      ExpressionAttributeValues: { ":pk": `user#${userId}`, ":member": "member#" },
    }),
  );
  return Promise.all(
    Items.map(async ({ sk, role }) => {
      const id = String(sk).slice("member#".length);
      const organization = await readItem(`organization#${id}`, "organization");
      const member = await readItem(`organization#${id}`, `member#${userId}`);
      return { name: organization?.["name"], role, listedRole: member?.["role"] };
    }),
  );
};

const ownedOrganization = { name: "My Organization", role: "OWNER", listedRole: "OWNER" };

describe("a first sign-in", () => {
  test("creates the user and an organization", async () => {
    const user = ann();

    await userStore(database, () => start).signIn(user);

    expect(await userItem(user.userId)).toEqual({
      pk: `user#${user.userId}`,
      sk: "user",
      email: "ann@example.com",
      listed_email: "ann@example.com",
      display_name: "Ann",
      created_at: "2026-10-01T10:00:00+00:00",
      last_sign_in_at: start,
      memberships: 1,
      owned: 1,
      first_organizations: 1,
    });
    expect(await organizationsOf(user.userId)).toEqual([ownedOrganization]);
  });

  test("needs neither an address nor a name", async () => {
    const user = ann({ email: null, displayName: null });

    await userStore(database).signIn(user);

    expect(Object.keys((await userItem(user.userId)) ?? {})).not.toContain("email");
    expect(await organizationsOf(user.userId)).toEqual([ownedOrganization]);
  });

  test("creates both once for fifty concurrent requests", async () => {
    const user = ann();

    await Promise.all(Array.from({ length: 50 }, () => userStore(database).signIn(user)));

    expect(await organizationsOf(user.userId)).toEqual([ownedOrganization]);
    expect(await userItem(user.userId)).toMatchObject({ memberships: 1, first_organizations: 1 });
  });

  test("creates both once when the transactions of concurrent requests conflict", async () => {
    const user = ann();
    let remainingConflicts = 40;
    const faultyDb = faultyDatabase(database, (call) => {
      if (!isTransaction(call) || remainingConflicts === 0) return null;
      remainingConflicts -= 1;
      return "conflict";
    });

    await Promise.all(Array.from({ length: 20 }, () => userStore(faultyDb).signIn(user)));

    expect(await organizationsOf(user.userId)).toEqual([ownedOrganization]);
  });

  test.each(["crash-before", "crash-after"] as const)(
    "without an answer is completed by the next one: %s",
    async (kind) => {
      const user = ann();
      const faultyDb = faultyDatabase(database, once(isTransaction, kind));
      await expect(userStore(faultyDb).signIn(user)).rejects.toThrow("died");

      await userStore(database).signIn(user);

      expect(await organizationsOf(user.userId)).toEqual([ownedOrganization]);
    },
  );

  test("that cannot be completed is refused as temporarily unavailable", async () => {
    const faultyDb = faultyDatabase(database, (call) => (isTransaction(call) ? "conflict" : null));

    await expect(userStore(faultyDb).signIn(ann())).rejects.toMatchObject({ reason: { kind: "unavailable" } });
  });

  test("of a user who was already added to an organization creates no other", async () => {
    const user = ann();
    const access = accessStore(database, 10);
    await access.addMember(await access.createOrganization("Acme"), user.userId, "MEMBER");

    await userStore(database, () => start).signIn(user);

    expect(await organizationsOf(user.userId)).toEqual([{ name: "Acme", role: "MEMBER", listedRole: "MEMBER" }]);
    expect(await userItem(user.userId)).toMatchObject({
      email: "ann@example.com",
      created_at: "2026-10-01T10:00:00+00:00",
      last_sign_in_at: start,
    });
  });

  test("while the user is added to an organization leaves both lists and the count consistent", async () => {
    const access = accessStore(database, 10);
    const organization = await access.createOrganization("Acme");
    for (let turn = 0; turn < 10; turn += 1) {
      const user = ann();
      await Promise.all([
        access.addMember(organization, user.userId, "ADMIN"),
        ...Array.from({ length: 5 }, () => userStore(database).signIn(user)),
      ]);

      const organizations = await organizationsOf(user.userId);
      expect(organizations).toContainEqual({ name: "Acme", role: "ADMIN", listedRole: "ADMIN" });
      expect(organizations.length).toBeLessThanOrEqual(2);
      expect(await userItem(user.userId)).toMatchObject({ memberships: organizations.length });
    }
  });

  test("after the user left all organizations creates another one", async () => {
    const user = ann();
    await userStore(database).signIn(user);
    const [first] = await organizationIds(user.userId);
    await database.client.send(
      new UpdateCommand({
        TableName: "access",
        Key: { pk: `user#${user.userId}`, sk: "user" },
        UpdateExpression: "SET memberships = :none",
        ExpressionAttributeValues: { ":none": 0 },
      }),
    );

    await userStore(database).signIn(user);

    const ids = await organizationIds(user.userId);
    expect(ids.length).toBe(2);
    expect(ids).toContain(first);
  });
});

const organizationIds = async (userId: string): Promise<readonly string[]> => {
  const { Items = [] } = await database.client.send(
    new QueryCommand({
      TableName: "access",
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :member)",
      ExpressionAttributeValues: { ":pk": `user#${userId}`, ":member": "member#" },
    }),
  );
  return Items.map(({ sk }) => String(sk));
};

describe("a later sign-in", () => {
  const writes = ({ operation }: { readonly operation: string }): boolean => operation !== "GetItem";

  const returningUser = async (fields: Partial<SignedInUser> = {}, decide?: Parameters<typeof watchedDatabase>[1]) => {
    const user = ann(fields);
    let now = start;
    await userStore(database, () => now).signIn(user);
    const watched = watchedDatabase(database, decide);
    return {
      user,
      calls: watched.calls,
      signInAt: (at: number, changes: Partial<SignedInUser> = {}) => {
        now = at;
        return userStore(watched, () => now).signIn({ ...user, ...changes });
      },
    };
  };

  test("writes nothing for 5 minutes, then the time of the sign-in", async () => {
    const { user, calls, signInAt } = await returningUser();
    for (let at = 0; at < 300_000; at += 30_000) await signInAt(start + at);
    await signInAt(start + 299_999);
    expect(calls.filter(writes)).toEqual([]);
    expect(calls).toHaveLength(11);

    await signInAt(start + 300_000);

    expect(calls.filter(writes).every(isOn("UpdateItem", "access"))).toBe(true);
    expect(await userItem(user.userId)).toMatchObject({ last_sign_in_at: start + 300_000, memberships: 1 });
  });

  test("writes the time once for fifty concurrent requests", async () => {
    const { user } = await returningUser();

    await Promise.all(
      Array.from({ length: 50 }, (_, index) => userStore(database, () => start + 400_000 + index).signIn(user)),
    );

    const { last_sign_in_at: at } = (await userItem(user.userId)) ?? {};
    await userStore(database, () => start + 500_000).signIn(user);
    expect(await userItem(user.userId)).toMatchObject({ last_sign_in_at: at });
  });

  test("stores a new address at once, and keeps the old one if the token has none", async () => {
    const { user, signInAt } = await returningUser();
    await signInAt(start + 1, { email: "Ann@new.example" });
    await signInAt(start + 400_000, { email: null });

    expect(await userItem(user.userId)).toMatchObject({
      email: "Ann@new.example",
      created_at: "2026-10-01T10:00:00+00:00",
      last_sign_in_at: start + 400_000,
    });
  });

  test("adds a missing name, and never changes a name", async () => {
    const { user, signInAt } = await returningUser({ displayName: null });
    await signInAt(start + 1, { displayName: "Ann" });
    await signInAt(start + 400_000, { displayName: "Other" });

    expect(await userItem(user.userId)).toMatchObject({ display_name: "Ann" });
  });

  test("succeeds even if its time cannot be stored", async () => {
    const { user, signInAt } = await returningUser({}, (call) => (writes(call) ? "server-error" : null));

    await signInAt(start + 400_000);

    expect(await userItem(user.userId)).toMatchObject({ last_sign_in_at: start });
  });
});

describe("an address", () => {
  /** A new address in mixed case. */
  const newAddress = (): string => `Ann.${randomUUID()}@example.com`;
  const usersWith = (email: string) => userStore(database).withEmail(email.toLowerCase());

  test("leads to all users who sign in with it, in any case", async () => {
    const email = newAddress();
    const [first, second] = [ann({ email }), ann({ email: email.toUpperCase() })];
    await Promise.all([first, second].map((user) => userStore(database).signIn(user)));

    const ids = await usersWith(email);

    expect(ids.toSorted()).toEqual([first.userId, second.userId].toSorted());
  });

  test("that a user replaces by another one no longer leads to them, until they use it again", async () => {
    const [before, after] = [newAddress(), newAddress()];
    const user = ann({ email: before });
    const signIn = (email: string) => userStore(database, () => start).signIn({ ...user, email });
    await signIn(before);

    await signIn(after);
    const changed = [await usersWith(before), await usersWith(after)];
    const former = await readItem(`email#${before.toLowerCase()}`, `user#${user.userId}`);
    await signIn(before);

    expect(changed).toEqual([[], [user.userId]]);
    expect(former).toMatchObject({ ttl: start / 1000 });
    expect([await usersWith(before), await usersWith(after)]).toEqual([[user.userId], []]);
    expect(await readItem(`email#${before.toLowerCase()}`, `user#${user.userId}`)).not.toHaveProperty("ttl");
  });

  test("that changes many times concurrently leads to its user in the end, and the other addresses do not", async () => {
    const user = ann({ email: newAddress() });
    const emails = Array.from({ length: 8 }, newAddress);
    await userStore(database).signIn(user);

    await Promise.all(emails.map((email) => userStore(database).signIn({ ...user, email })));

    const { email: last } = (await userItem(user.userId)) ?? {};
    const leading = await Promise.all(
      emails.map(async (email) => ((await usersWith(email)).length > 0 ? [email] : [])),
    );
    expect(leading.flat()).toEqual([last]);
  });

  test("that is missing in the address list is added by the user's next sign-in", async () => {
    const user = ann({ email: newAddress() });
    await userStore(database, () => start).signIn(user);
    await database.client.send(
      new UpdateCommand({
        TableName: "access",
        Key: { pk: `user#${user.userId}`, sk: "user" },
        UpdateExpression: "REMOVE listed_email",
      }),
    );
    await database.client.send(
      new DeleteCommand({
        TableName: "access",
        Key: { pk: `email#${user.email?.toLowerCase()}`, sk: `user#${user.userId}` },
      }),
    );

    await userStore(database, () => start + 1).signIn(user);

    expect(await usersWith(user.email ?? "")).toEqual([user.userId]);
  });
});

describe("a membership", () => {
  test("is created once, and a member keeps their role", async () => {
    const access = accessStore(database, 10);
    const [organization, user] = [await access.createOrganization("Acme"), randomUUID()];

    const results = await Promise.all(
      (["OWNER", "ADMIN", "MEMBER", "MEMBER"] as const).map((role) => access.addMember(organization, user, role)),
    );

    expect(results.filter(Boolean)).toEqual([true]);
    expect(await organizationsOf(user)).toHaveLength(1);
    expect(await userItem(user)).toMatchObject({ memberships: 1 });
  });
});
