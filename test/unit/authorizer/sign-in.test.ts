import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorizer } from "../../../lib/authorizer/authorize.ts";
import { signInRecorder } from "../../../lib/authorizer/sign-in.ts";
import type { ApiKeys } from "../../../lib/store/access/api-keys.ts";
import { type SignedInUser, userStore } from "../../../lib/store/access/users.ts";
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

const newUser = (fields: Partial<SignedInUser> = {}): SignedInUser => ({
  userId: randomUUID(),
  email: "ann@example.com",
  displayName: null,
  ...fields,
});

const leaving = ["DELETE", "/me"] as const;

/** An authorizer that accepts the token `good` as the user's. */
const newAuthorizer = (decide?: Decide) => {
  const watched = watchedDatabase(database, decide);
  let user: SignedInUser = newUser();
  const authorize = authorizer(
    {} as ApiKeys,
    async (token) => (token === "good" ? { kind: "user", ...user } : { kind: "refused", detail: "Invalid token." }),
    sharedKey,
    signInRecorder(userStore(watched, clock), clock),
    clock,
  );
  return {
    calls: watched.calls,
    call: (signedInUser: SignedInUser, place: readonly [string, string] = ["GET", "/traces"], token = "good") => {
      user = signedInUser;
      return authorize(authorizerEvent({ Authorization: `Bearer ${token}` }, [...place]));
    },
  };
};

const operations = (calls: readonly { readonly operation: string }[]) => calls.map(({ operation }) => operation);

describe("the authorizer", () => {
  test("stores a user at the first request, and reads them once in 5 seconds", async () => {
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

  test("stores a changed email address as soon as a token has it", async () => {
    const { call, calls } = newAuthorizer();
    const user = newUser();
    await call(user);
    const before = calls.length;

    await call({ ...user, email: "ann@new.example" });

    expect(operations(calls.slice(before))).toEqual(["GetItem", "TransactWriteItems"]);
  });

  test("stores no user for a refused token", async () => {
    const { call, calls } = newAuthorizer();

    expect((await call(newUser(), ["GET", "/traces"], "bad")).policyDocument.Statement).toMatchObject([
      { Effect: "Deny" },
    ]);
    expect(calls).toEqual([]);
  });

  test("fails while a token cannot be verified: the gateway answers 503, and the alarm counts it", async () => {
    const signedIn: string[] = [];
    const authorize = authorizer(
      {} as ApiKeys,
      async () => ({ kind: "unavailable" }),
      sharedKey,
      async ({ userId }) => {
        signedIn.push(userId);
      },
    );

    await expect(authorize(authorizerEvent({ Authorization: "Bearer good" }))).rejects.toThrow("cannot be fetched");
    expect(signedIn).toEqual([]);
  });

  test("deletes a user at the request to delete them, and stores them again at the next request", async () => {
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

  test("fails while users cannot be read, and admits a known user whose visit cannot be stored", async () => {
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
