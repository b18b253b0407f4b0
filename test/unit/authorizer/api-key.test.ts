import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { authorizer } from "../../../lib/authorizer/authorize.ts";
import { keyVerifier } from "../../../lib/authorizer/verify-key.ts";
import { hashApiKey, newApiKey } from "../../../lib/domain/access/identity.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { startWatchedServer } from "../../support/service/tokens.ts";
import { isOn, watchedDatabase } from "../../support/database/watched-database.ts";
import { admission, authorizerEvent, denial, noSignIn, sharedKey } from "./request.ts";

const invalid = denial("Invalid or revoked API key.");
const expired = denial("API key has expired. Please generate a new one.");
const [second, minute] = [1000, 60_000];

let database: TestDatabase;
let now = Date.parse("2026-10-01T10:00:00Z");
const clock = (): number => now;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

let organization: string;
let apiKey: { readonly id: string; readonly key: string };
beforeEach(async () => {
  organization = await accessStore(database, 10).createOrganization("Acme");
  apiKey = await apiKeyStore(database, clock).create(organization, "a key");
});

type Decide = Parameters<typeof watchedDatabase>[1];

const newAuthorizer = (decide?: Decide) => {
  const watched = watchedDatabase(database, decide);
  const authorize = authorizer(apiKeyStore(watched, clock), null, sharedKey, noSignIn, clock);
  return {
    calls: watched.calls,
    authorize: (key: string | readonly string[], name = "X-API-Key") => authorize(authorizerEvent({ [name]: key })),
  };
};

const admitted = ({ id } = apiKey) => admission(id, { principal: "key", key_id: id, organization_id: organization });

describe("an API key", () => {
  test("identifies its organization", async () => {
    expect(await newAuthorizer().authorize(apiKey.key)).toEqual(admitted());
  });

  test.each(["X-API-Key", "x-api-key", "X-API-KEY", "x-Api-kEy"])("may be sent as %s", async (name) => {
    expect(await newAuthorizer().authorize(apiKey.key, name)).toEqual(admitted());
  });

  test.each([
    ["as a bearer", (key: string) => `Bearer ${key}`],
    ["as the password of Basic", (key: string) => `Basic ${Buffer.from(`shop:${key}`).toString("base64")}`],
  ])("may be sent in Authorization, %s", async (_how, value) => {
    const { authorize } = newAuthorizer();

    expect(await authorize(value(apiKey.key), "Authorization")).toEqual(admitted());
    expect(await authorize(value(newApiKey()), "authorization")).toEqual(invalid);
    expect(await authorize([value(apiKey.key), value(newApiKey())], "Authorization")).toEqual(
      denial(
        "Missing credentials. Provide Authorization: Bearer <token> (with X-Project-ID) or X-API-Key (with X-Project-Name).",
      ),
    );
  });

  test("in its own header takes precedence over any other header", async () => {
    const watched = watchedDatabase(database);
    const authorize = authorizer(apiKeyStore(watched, clock), null, sharedKey, noSignIn, clock);
    const both = (keyOrganization: string, otherOrganization: string) =>
      authorize(authorizerEvent({ "X-API-Key": keyOrganization, Authorization: `Bearer ${otherOrganization}` }));

    expect(await both(apiKey.key, newApiKey())).toEqual(admitted());
    expect(await both(newApiKey(), apiKey.key)).toEqual(invalid);
  });

  test("is no credential of a management route, in whichever header it is sent", async () => {
    const watched = watchedDatabase(database);
    const authorize = authorizer(apiKeyStore(watched, clock), null, sharedKey, noSignIn, clock);

    const reply = await authorize(
      authorizerEvent({ Authorization: `Bearer ${apiKey.key}` }, ["GET", "/organizations"]),
    );

    expect(reply).toEqual(denial("Bearer token required. Provide Authorization: Bearer <token>."));
    expect(watched.calls).toEqual([]);
  });

  test("may be sent twice, and beside an empty header", async () => {
    expect(await newAuthorizer().authorize([apiKey.key, apiKey.key])).toEqual(admitted());
    expect(await newAuthorizer().authorize(["", apiKey.key, " "])).toEqual(admitted());
  });
});

describe("an unknown key", () => {
  test("is looked up once in 30 seconds, however often it is sent", async () => {
    const { authorize, calls } = newAuthorizer();
    const key = newApiKey();

    const together = await Promise.all(Array.from({ length: 50 }, () => authorize(key)));
    now += 29 * second;
    const later = await authorize(key);
    const first = calls.length;
    now += 2 * second;
    await authorize(key);

    expect([...together, later]).toEqual(Array(51).fill(invalid));
    expect([first, calls.length]).toEqual([1, 2]);
  });

  test("does not evict known keys that are sent beside it, and the oldest unknown one is read again", async () => {
    const watched = watchedDatabase(database);
    const verify = keyVerifier(apiKeyStore(watched, clock), clock, 20);
    const [firstKey = "", ...laterKeys] = Array.from({ length: 21 }, newApiKey);
    await verify(apiKey.key);
    for (const key of [firstKey, ...laterKeys]) await verify(key);
    const callCount = watched.calls.length;

    const kinds: string[] = [];
    for (const key of [apiKey.key, laterKeys.at(-1) ?? "", laterKeys[0] ?? "", firstKey])
      kinds.push((await verify(key)).kind);

    expect(kinds).toEqual(["key", "refused", "refused", "refused"]);
    expect(watched.calls.slice(callCount).map(({ operation }) => operation)).toEqual(["GetItem"]);
  });
});

describe("a value that does not have the form of a key", () => {
  const good = newApiKey();
  const hex = good.slice("sk_as_".length);

  test.each<[string, string]>([
    ["a word", "x"],
    ["the prefix alone", "sk_as_"],
    ["the digits alone", hex],
    ["another prefix", `sk_pp_${hex}`],
    ["the prefix in capitals", `SK_AS_${hex}`],
    ["the digits in capitals", `sk_as_${hex.toUpperCase().replaceAll(/\d/g, "A")}`],
    ["a digit too few", good.slice(0, -1)],
    ["a digit too many", `${good}0`],
    ["a digit that is none", `${good.slice(0, -1)}g`],
    ["a line end", `${good}\n`],
    ["a blank before", ` ${good}`],
    ["a blank after", `${good} `],
    ["a zero byte", `${good}\0`],
    ["two keys with a comma", `${good}, ${newApiKey()}`],
    ["a scheme", `Bearer ${good}`],
    ["quotes", `"${good}"`],
    ["percent signs", encodeURIComponent(`${good} `)],
    ["digits of another script", `sk_as_${"１".repeat(64)}`],
    ["a hash", hashApiKey(good)],
    ["a key of the table", `key#${hashApiKey(good)}`],
    ["a condition", "sk_as_' OR '1'='1"],
    ["64 KB", "s".repeat(65_536)],
  ])("is refused without a database request: %s", async (_name, value) => {
    const { authorize, calls } = newAuthorizer();

    expect(await authorize(value)).toEqual(invalid);
    expect(calls).toEqual([]);
  });
});

describe("an invalid key", () => {
  test("is refused when it is unknown, or is the hash of a known key", async () => {
    const { authorize } = newAuthorizer();

    expect(await authorize(newApiKey())).toEqual(invalid);
    expect(await authorize(`sk_as_${hashApiKey(apiKey.key)}`)).toEqual(invalid);
  });

  test("is refused when another value is sent beside it, known or unknown", async () => {
    const otherKey = await apiKeyStore(database, clock).create(organization, "other");
    const { authorize } = newAuthorizer();

    expect(await authorize([apiKey.key, otherKey.key])).toEqual(invalid);
    expect(await authorize([apiKey.key, "x"])).toEqual(invalid);
    expect(await authorize([newApiKey(), apiKey.key])).toEqual(invalid);
  });

  test("is refused at the instant it expires and not before it, cached or not", async () => {
    const { key, id } = await apiKeyStore(database, clock).create(organization, "short", minute);
    const { authorize } = newAuthorizer();
    now += minute - 1;
    expect(await authorize(key)).toEqual(admitted({ id, key }));
    now += 1;

    expect(await authorize(key)).toEqual(expired);
    expect(await newAuthorizer().authorize(key)).toEqual(expired);
    now += 24 * 60 * minute;
    expect(await authorize(key)).toEqual(expired);
  });

  test("is refused everywhere 5 seconds after it was revoked", async () => {
    const { authorize } = newAuthorizer();
    expect(await authorize(apiKey.key)).toEqual(admitted());
    await apiKeyStore(database, clock).revoke(organization, apiKey.id);

    expect(await newAuthorizer().authorize(apiKey.key)).toEqual(invalid);
    now += 5 * second - 1;
    expect(await authorize(apiKey.key)).toEqual(admitted());
    now += 1;
    expect(await authorize(apiKey.key)).toEqual(invalid);
  });

  test("is refused within 5 seconds of a revocation that its own lookup overlapped", async () => {
    const pendingRead = Promise.withResolvers<null>();
    const { authorize } = newAuthorizer((call) => (isOn("GetItem", "access")(call) ? pendingRead.promise : null));
    const checked = authorize(apiKey.key);
    now += 3 * second;
    pendingRead.resolve(null);
    await checked;
    await apiKeyStore(database, clock).revoke(organization, apiKey.id);
    now += 2 * second;

    expect(await authorize(apiKey.key)).toEqual(invalid);
  });

  test("is refused as revoked when it has expired too", async () => {
    const store = apiKeyStore(database, clock);
    const { key, id } = await store.create(organization, "short", -1);
    expect(await newAuthorizer().authorize(key)).toEqual(expired);
    await store.revoke(organization, id);

    expect(await newAuthorizer().authorize(key)).toEqual(invalid);
  });
});

describe("the database", () => {
  test("is read once in 5 seconds for a known key", async () => {
    const { authorize, calls } = newAuthorizer();
    for (let turn = 0; turn < 5; turn += 1) {
      await authorize(apiKey.key);
      now += second;
    }

    expect(calls.filter(isOn("GetItem", "access"))).toHaveLength(1);
    await authorize(apiKey.key);
    expect(calls.filter(isOn("GetItem", "access"))).toHaveLength(2);
  });

  test("stores the last use of a key every 5 minutes", async () => {
    const [firstAuthorizer, secondAuthorizer] = [newAuthorizer(), newAuthorizer()];
    const uses = () =>
      [...firstAuthorizer.calls, ...secondAuthorizer.calls].filter(isOn("UpdateItem", "access")).length;
    const lastUse = async () => (await apiKeyStore(database).find(hashApiKey(apiKey.key)))?.lastUsedAt;

    await Promise.all([firstAuthorizer.authorize(apiKey.key), firstAuthorizer.authorize(apiKey.key)]);
    const first = now;
    expect(await lastUse()).toBe(first);
    for (let turn = 0; turn < 299; turn += 1) {
      now += second;
      await Promise.all([firstAuthorizer.authorize(apiKey.key), secondAuthorizer.authorize(apiKey.key)]);
    }
    expect(await lastUse()).toBe(first);
    expect(uses()).toBe(1);
    now += second;
    await Promise.all([firstAuthorizer.authorize(apiKey.key), secondAuthorizer.authorize(apiKey.key)]);

    expect(await lastUse()).toBe(now);
    expect(uses()).toBeLessThanOrEqual(3);
  });

  test("stores no use of a key that is refused", async () => {
    const { key } = await apiKeyStore(database, clock).create(organization, "short", 0);
    const { authorize, calls } = newAuthorizer();
    await authorize(key);

    expect(calls.filter(isOn("UpdateItem", "access"))).toEqual([]);
  });

  test("may fail to store a use: the caller is admitted, and the write is not retried at once", async () => {
    const { authorize, calls } = newAuthorizer((call) => (isOn("UpdateItem", "access")(call) ? "server-error" : null));

    expect(await authorize(apiKey.key)).toEqual(admitted());
    now += second;
    expect(await authorize(apiKey.key)).toEqual(admitted());
    expect(new Set(calls.filter(isOn("UpdateItem", "access")).map(({ input }) => JSON.stringify(input))).size).toBe(1);
  });

  test("delays an answer by a second at most when storing a use is slow", async () => {
    const silent = await startWatchedServer(() => undefined);
    const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient(silent.url)));
    const { recordUse: noteUse } = apiKeyStore({ ...database, client }, clock);
    const authorize = authorizer(
      { ...apiKeyStore(database, clock), recordUse: noteUse },
      null,
      sharedKey,
      noSignIn,
      clock,
    );
    const startedAt = performance.now();

    expect(await authorize(authorizerEvent({ "X-API-Key": apiKey.key }))).toEqual(admitted());
    // The request itself would never end.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(silent.requests).toEqual(["/"]);
    await silent.close();
  });

  test("that is unavailable refuses no caller: the gateway answers with a server error", async () => {
    const { authorize } = newAuthorizer(() => "server-error");

    await expect(authorize(apiKey.key)).rejects.toThrow("injected");
  });
});
