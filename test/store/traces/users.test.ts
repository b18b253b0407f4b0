import { DeleteCommand, GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import { type SignedIn, userStore } from "../../../lib/store/access/users.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { isOn, once, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const start = Date.parse("2026-10-01T10:00:00Z");
const ann = (given: Partial<SignedIn> = {}): SignedIn => ({
  userId: randomUUID(),
  email: "ann@example.com",
  displayName: "Ann",
  ...given,
});

const isTransaction = ({ operation }: { readonly operation: string }): boolean => operation === "TransactWriteItems";

const read = async (pk: string, sk: string): Promise<Record<string, unknown> | undefined> =>
  (await database.client.send(new GetCommand({ TableName: "access", Key: { pk, sk }, ConsistentRead: true }))).Item;

const userItem = (userId: string) => read(`user#${userId}`, "user");

/** The organizations of a user, as the user's own list and each organization's list of members say. */
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
      const organization = await read(`organization#${id}`, "organization");
      const member = await read(`organization#${id}`, `member#${userId}`);
      return { name: organization?.["name"], role, listedRole: member?.["role"] };
    }),
  );
};

const owned = { name: "My Organization", role: "OWNER", listedRole: "OWNER" };

describe("a first sign-in", () => {
  test("makes the user and an organization", async () => {
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
    expect(await organizationsOf(user.userId)).toEqual([owned]);
  });

  test("may tell nothing but who it is", async () => {
    const user = ann({ email: null, displayName: null });

    await userStore(database).signIn(user);

    expect(Object.keys((await userItem(user.userId)) ?? {})).not.toContain("email");
    expect(await organizationsOf(user.userId)).toEqual([owned]);
  });

  test("makes each once, fifty at a time", async () => {
    const user = ann();

    await Promise.all(Array.from({ length: 50 }, () => userStore(database).signIn(user)));

    expect(await organizationsOf(user.userId)).toEqual([owned]);
    expect(await userItem(user.userId)).toMatchObject({ memberships: 1, first_organizations: 1 });
  });

  test("makes each once when all of them meet in the database", async () => {
    const user = ann();
    let left = 40;
    const own = faultyDatabase(database, (call) => {
      if (!isTransaction(call) || left === 0) return null;
      left -= 1;
      return "conflict";
    });

    await Promise.all(Array.from({ length: 20 }, () => userStore(own).signIn(user)));

    expect(await organizationsOf(user.userId)).toEqual([owned]);
  });

  test.each(["crash-before", "crash-after"] as const)("that nobody answered is made up for: %s", async (kind) => {
    const user = ann();
    const own = faultyDatabase(database, once(isTransaction, kind));
    await expect(userStore(own).signIn(user)).rejects.toThrow("died");

    await userStore(database).signIn(user);

    expect(await organizationsOf(user.userId)).toEqual([owned]);
  });

  test("that cannot be finished says that it is worth another try", async () => {
    const own = faultyDatabase(database, (call) => (isTransaction(call) ? "conflict" : null));

    await expect(userStore(own).signIn(ann())).rejects.toMatchObject({ reason: { kind: "unavailable" } });
  });

  test("of somebody who was added to an organization makes no other", async () => {
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

  test("while somebody adds the user elsewhere leaves both lists and the count in agreement", async () => {
    const access = accessStore(database, 10);
    const organization = await access.createOrganization("Acme");
    for (let turn = 0; turn < 10; turn += 1) {
      const user = ann();
      await Promise.all([
        access.addMember(organization, user.userId, "ADMIN"),
        ...Array.from({ length: 5 }, () => userStore(database).signIn(user)),
      ]);

      const all = await organizationsOf(user.userId);
      expect(all).toContainEqual({ name: "Acme", role: "ADMIN", listedRole: "ADMIN" });
      expect(all.length).toBeLessThanOrEqual(2);
      expect(await userItem(user.userId)).toMatchObject({ memberships: all.length });
    }
  });

  test("after all organizations were left makes another", async () => {
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

  const known = async (given: Partial<SignedIn> = {}, decide?: Parameters<typeof watchedDatabase>[1]) => {
    const user = ann(given);
    let now = start;
    await userStore(database, () => now).signIn(user);
    const watched = watchedDatabase(database, decide);
    return {
      user,
      calls: watched.calls,
      signInAt: (at: number, more: Partial<SignedIn> = {}) => {
        now = at;
        return userStore(watched, () => now).signIn({ ...user, ...more });
      },
    };
  };

  test("writes nothing for 5 minutes, then the time", async () => {
    const { user, calls, signInAt } = await known();
    for (let at = 0; at < 300_000; at += 30_000) await signInAt(start + at);
    await signInAt(start + 299_999);
    expect(calls.filter(writes)).toEqual([]);
    expect(calls).toHaveLength(11);

    await signInAt(start + 300_000);

    expect(calls.filter(writes).every(isOn("UpdateItem", "access"))).toBe(true);
    expect(await userItem(user.userId)).toMatchObject({ last_sign_in_at: start + 300_000, memberships: 1 });
  });

  test("writes the time once, fifty at a time", async () => {
    const { user } = await known();

    await Promise.all(
      Array.from({ length: 50 }, (_, index) => userStore(database, () => start + 400_000 + index).signIn(user)),
    );

    const { last_sign_in_at: at } = (await userItem(user.userId)) ?? {};
    await userStore(database, () => start + 500_000).signIn(user);
    expect(await userItem(user.userId)).toMatchObject({ last_sign_in_at: at });
  });

  test("takes over a new address at once, and keeps the old when it tells none", async () => {
    const { user, signInAt } = await known();
    await signInAt(start + 1, { email: "Ann@new.example" });
    await signInAt(start + 400_000, { email: null });

    expect(await userItem(user.userId)).toMatchObject({
      email: "Ann@new.example",
      created_at: "2026-10-01T10:00:00+00:00",
      last_sign_in_at: start + 400_000,
    });
  });

  test("gives a name to who has none, and changes none", async () => {
    const { user, signInAt } = await known({ displayName: null });
    await signInAt(start + 1, { displayName: "Ann" });
    await signInAt(start + 400_000, { displayName: "Other" });

    expect(await userItem(user.userId)).toMatchObject({ display_name: "Ann" });
  });

  test("is let in when the time cannot be written", async () => {
    const { user, signInAt } = await known({}, (call) => (writes(call) ? "server-error" : null));

    await signInAt(start + 400_000);

    expect(await userItem(user.userId)).toMatchObject({ last_sign_in_at: start });
  });
});

describe("an address", () => {
  /** An address that no other test has. */
  const fresh = (): string => `Ann.${randomUUID()}@example.com`;
  const found = (email: string) => userStore(database).withEmail(email.toLowerCase());

  test("leads to all who sign in with it, in any case", async () => {
    const email = fresh();
    const [first, second] = [ann({ email }), ann({ email: email.toUpperCase() })];
    await Promise.all([first, second].map((user) => userStore(database).signIn(user)));

    const ids = await found(email);

    expect(ids.toSorted()).toEqual([first.userId, second.userId].toSorted());
  });

  test("that a user gives up for another leads to them no more, until they come back to it", async () => {
    const [before, after] = [fresh(), fresh()];
    const user = ann({ email: before });
    const signIn = (email: string) => userStore(database, () => start).signIn({ ...user, email });
    await signIn(before);

    await signIn(after);
    const changed = [await found(before), await found(after)];
    const former = await read(`email#${before.toLowerCase()}`, `user#${user.userId}`);
    await signIn(before);

    expect(changed).toEqual([[], [user.userId]]);
    expect(former).toMatchObject({ ttl: start / 1000 });
    expect([await found(before), await found(after)]).toEqual([[user.userId], []]);
    expect(await read(`email#${before.toLowerCase()}`, `user#${user.userId}`)).not.toHaveProperty("ttl");
  });

  test("changed many times at once leads to its user in the end, and no other does", async () => {
    const user = ann({ email: fresh() });
    const emails = Array.from({ length: 8 }, fresh);
    await userStore(database).signIn(user);

    await Promise.all(emails.map((email) => userStore(database).signIn({ ...user, email })));

    const { email: last } = (await userItem(user.userId)) ?? {};
    const leading = await Promise.all(emails.map(async (email) => ((await found(email)).length > 0 ? [email] : [])));
    expect(leading.flat()).toEqual([last]);
  });

  test("of a user who is not listed yet leads to them after the next sign-in, at once", async () => {
    const user = ann({ email: fresh() });
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

    expect(await found(user.email ?? "")).toEqual([user.userId]);
  });
});

describe("a membership", () => {
  test("is made once: who is a member stays what they are", async () => {
    const access = accessStore(database, 10);
    const [organization, user] = [await access.createOrganization("Acme"), randomUUID()];

    const made = await Promise.all(
      (["OWNER", "ADMIN", "MEMBER", "MEMBER"] as const).map((role) => access.addMember(organization, user, role)),
    );

    expect(made.filter(Boolean)).toEqual([true]);
    expect(await organizationsOf(user)).toHaveLength(1);
    expect(await userItem(user)).toMatchObject({ memberships: 1 });
  });
});
