import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorizer } from "../../../lib/authorizer/authorize.ts";
import { signingIn } from "../../../lib/authorizer/sign-in.ts";
import type { ApiKeys } from "../../../lib/store/access/api-keys.ts";
import { type SignedIn, userStore } from "../../../lib/store/access/users.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import type { Decide } from "../../support/faults/fault-kind.ts";
import { authorizerEvent, sharedKey } from "./request.ts";

let database: TestDatabase;
let now = Date.parse("2026-10-01T10:00:00Z");
const clock = (): number => now;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const newUser = (more: Partial<SignedIn> = {}): SignedIn => ({
  userId: randomUUID(),
  email: "ann@example.com",
  displayName: null,
  ...more,
});

const leaving = ["DELETE", "/me"] as const;

/** An authorizer that believes the token `good` to be the user's. */
const newAuthorizer = (decide?: Decide) => {
  const watched = watchedDatabase(database, decide);
  let user: SignedIn = newUser();
  const authorize = authorizer(
    {} as ApiKeys,
    async (token) => (token === "good" ? { kind: "user", ...user } : { kind: "refused", detail: "Invalid token." }),
    sharedKey,
    signingIn(userStore(watched, clock), clock),
    clock,
  );
  return {
    calls: watched.calls,
    call: (who: SignedIn, place: readonly [string, string] = ["GET", "/traces"], token = "good") => {
      user = who;
      return authorize(authorizerEvent({ Authorization: `Bearer ${token}` }, [...place]));
    },
  };
};

const operations = (calls: readonly { readonly operation: string }[]) => calls.map(({ operation }) => operation);

describe("the authorizer", () => {
  test("makes a user known at the first request, and asks for them once in 5 seconds", async () => {
    const { call, calls } = newAuthorizer();
    const user = newUser();

    await call(user);
    expect(operations(calls)).toEqual(["GetItem", "TransactWriteItems"]);
    for (let second = 0; second < 5; second += 1) {
      await call(user);
      now += 1000;
    }
    expect(calls).toHaveLength(2);

    await call(user);
    expect(operations(calls.slice(2))).toEqual(["GetItem"]);
  });

  test("takes over an address as soon as a token has another", async () => {
    const { call, calls } = newAuthorizer();
    const user = newUser();
    await call(user);
    const before = calls.length;

    await call({ ...user, email: "ann@new.example" });

    expect(operations(calls.slice(before))).toEqual(["GetItem", "TransactWriteItems"]);
  });

  test("makes nobody known by a token that is refused", async () => {
    const { call, calls } = newAuthorizer();

    expect((await call(newUser(), ["GET", "/traces"], "bad")).policyDocument.Statement).toMatchObject([
      { Effect: "Deny" },
    ]);
    expect(calls).toEqual([]);
  });

  test("fails where a token cannot be verified at the moment: the gateway answers 503, and the alarm counts it", async () => {
    const signedIn: string[] = [];
    const authorize = authorizer(
      {} as ApiKeys,
      async () => ({ kind: "unavailable" }),
      sharedKey,
      async ({ userId }) => {
        signedIn.push(userId);
      },
    );

    await expect(authorize(authorizerEvent({ Authorization: "Bearer good" }))).rejects.toThrow("cannot be had");
    expect(signedIn).toEqual([]);
  });

  test("makes nobody known by the request not to be known, and knows them anew by the next", async () => {
    const { call, calls } = newAuthorizer();
    const user = newUser();

    await call(user, leaving);
    expect(calls).toEqual([]);

    await call(user);
    const before = calls.length;
    await call(user, leaving);
    await call(user);
    expect(operations(calls.slice(before))).toEqual(["GetItem"]);
  });

  test("fails where nobody can be looked for, and lets a known user in whose coming cannot be noted", async () => {
    const user = newUser();
    await newAuthorizer().call(user);
    now += 600_000;
    const deaf = newAuthorizer(({ operation }) => (operation === "UpdateItem" ? "server-error" : null));
    const blind = newAuthorizer(({ operation }) => (operation === "GetItem" ? "server-error" : null));

    expect((await deaf.call(user)).policyDocument.Statement).toMatchObject([{ Effect: "Allow" }]);
    expect(operations(deaf.calls)).toContain("UpdateItem");
    await expect(blind.call(user)).rejects.toThrow(/./u);
  });
});
