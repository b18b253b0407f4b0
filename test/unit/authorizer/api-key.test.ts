import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { authorizer } from "../../../lib/authorizer/authorize.ts";
import { hashApiKey, newApiKey } from "../../../lib/domain/access/identity.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
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
let made: { readonly id: string; readonly key: string };
beforeEach(async () => {
  organization = await accessStore(database, 10).createOrganization("Acme");
  made = await apiKeyStore(database, clock).create(organization, "a key");
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

const admitted = ({ id } = made) => admission(id, { principal: "key", key_id: id, organization_id: organization });

describe("an API key", () => {
  test("is who its organization is", async () => {
    expect(await newAuthorizer().authorize(made.key)).toEqual(admitted());
  });

  test.each(["X-API-Key", "x-api-key", "X-API-KEY", "x-Api-kEy"])("may be sent as %s", async (name) => {
    expect(await newAuthorizer().authorize(made.key, name)).toEqual(admitted());
  });

  test.each([
    ["as a bearer", (key: string) => `Bearer ${key}`],
    ["as the password of Basic", (key: string) => `Basic ${Buffer.from(`shop:${key}`).toString("base64")}`],
  ])("may be sent in Authorization, %s", async (_how, value) => {
    const { authorize } = newAuthorizer();

    expect(await authorize(value(made.key), "Authorization")).toEqual(admitted());
    expect(await authorize(value(newApiKey()), "authorization")).toEqual(invalid);
    expect(await authorize([value(made.key), value(newApiKey())], "Authorization")).toEqual(
      denial(
        "Missing credentials. Provide Authorization: Bearer <token> (with X-Project-ID) or X-API-Key (with X-Project-Name).",
      ),
    );
  });

  test("in its own header decides, whatever another one holds", async () => {
    const watched = watchedDatabase(database);
    const authorize = authorizer(apiKeyStore(watched, clock), null, sharedKey, noSignIn, clock);
    const both = (own: string, other: string) =>
      authorize(authorizerEvent({ "X-API-Key": own, Authorization: `Bearer ${other}` }));

    expect(await both(made.key, newApiKey())).toEqual(admitted());
    expect(await both(newApiKey(), made.key)).toEqual(invalid);
  });

  test("is no credential of a management route, wherever it stands", async () => {
    const watched = watchedDatabase(database);
    const authorize = authorizer(apiKeyStore(watched, clock), null, sharedKey, noSignIn, clock);

    const reply = await authorize(authorizerEvent({ Authorization: `Bearer ${made.key}` }, ["GET", "/organizations"]));

    expect(reply).toEqual(denial("Bearer token required. Provide Authorization: Bearer <token>."));
    expect(watched.calls).toEqual([]);
  });

  test("may come twice, and beside an empty one", async () => {
    expect(await newAuthorizer().authorize([made.key, made.key])).toEqual(admitted());
    expect(await newAuthorizer().authorize(["", made.key, " "])).toEqual(admitted());
  });
});

describe("a key that nobody has", () => {
  test("is looked for once in half a minute, however often it comes", async () => {
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

  test("does not keep those from being known that come beside it, of which ten thousand are remembered", async () => {
    const { authorize, calls } = newAuthorizer();
    const [forgotten, ...others] = Array.from({ length: 10_001 }, newApiKey);
    await authorize(forgotten ?? "");
    for (const key of others) await authorize(key);
    const asked = calls.length;

    const replies = [await authorize(made.key), await authorize(others.at(-1) ?? ""), await authorize(forgotten ?? "")];

    expect(replies).toEqual([admitted(), invalid, invalid]);
    expect(calls.slice(asked).map(({ operation }) => operation)).toEqual(["GetItem", "UpdateItem", "GetItem"]);
  });
});

describe("what has not the form of a key", () => {
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
  ])("is refused without asking the database: %s", async (_name, value) => {
    const { authorize, calls } = newAuthorizer();

    expect(await authorize(value)).toEqual(invalid);
    expect(calls).toEqual([]);
  });
});

describe("a key that opens nothing", () => {
  test("is refused when it is unknown, or the hash of one that is known", async () => {
    const { authorize } = newAuthorizer();

    expect(await authorize(newApiKey())).toEqual(invalid);
    expect(await authorize(`sk_as_${hashApiKey(made.key)}`)).toEqual(invalid);
  });

  test("is refused when another value is sent beside it, known or not", async () => {
    const other = await apiKeyStore(database, clock).create(organization, "other");
    const { authorize } = newAuthorizer();

    expect(await authorize([made.key, other.key])).toEqual(invalid);
    expect(await authorize([made.key, "x"])).toEqual(invalid);
    expect(await authorize([newApiKey(), made.key])).toEqual(invalid);
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
    expect(await authorize(made.key)).toEqual(admitted());
    await apiKeyStore(database, clock).revoke(organization, made.id);

    expect(await newAuthorizer().authorize(made.key)).toEqual(invalid);
    now += 5 * second - 1;
    expect(await authorize(made.key)).toEqual(admitted());
    now += 1;
    expect(await authorize(made.key)).toEqual(invalid);
  });

  test("is refused within 5 seconds of a revocation that its own check overlapped", async () => {
    const held = Promise.withResolvers<null>();
    const { authorize } = newAuthorizer((call) => (isOn("GetItem", "access")(call) ? held.promise : null));
    const checked = authorize(made.key);
    now += 3 * second;
    held.resolve(null);
    await checked;
    await apiKeyStore(database, clock).revoke(organization, made.id);
    now += 2 * second;

    expect(await authorize(made.key)).toEqual(invalid);
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
  test("is asked once in 5 seconds for a known key", async () => {
    const { authorize, calls } = newAuthorizer();
    for (let turn = 0; turn < 5; turn += 1) {
      await authorize(made.key);
      now += second;
    }

    expect(calls.filter(isOn("GetItem", "access"))).toHaveLength(1);
    await authorize(made.key);
    expect(calls.filter(isOn("GetItem", "access"))).toHaveLength(2);
  });

  test("learns of a key's use every 5 minutes", async () => {
    const [one, other] = [newAuthorizer(), newAuthorizer()];
    const uses = () => [...one.calls, ...other.calls].filter(isOn("UpdateItem", "access")).length;
    const lastUse = async () => (await apiKeyStore(database).find(hashApiKey(made.key)))?.lastUsedAt;

    await Promise.all([one.authorize(made.key), one.authorize(made.key)]);
    const first = now;
    expect(await lastUse()).toBe(first);
    for (let turn = 0; turn < 299; turn += 1) {
      now += second;
      await Promise.all([one.authorize(made.key), other.authorize(made.key)]);
    }
    expect(await lastUse()).toBe(first);
    expect(uses()).toBe(1);
    now += second;
    await Promise.all([one.authorize(made.key), other.authorize(made.key)]);

    expect(await lastUse()).toBe(now);
    expect(uses()).toBeLessThanOrEqual(3);
  });

  test("learns of no use of a key that is refused", async () => {
    const { key } = await apiKeyStore(database, clock).create(organization, "short", 0);
    const { authorize, calls } = newAuthorizer();
    await authorize(key);

    expect(calls.filter(isOn("UpdateItem", "access"))).toEqual([]);
  });

  test("may fail to learn of a use: the caller is let in, and it is not tried again at once", async () => {
    const { authorize, calls } = newAuthorizer((call) => (isOn("UpdateItem", "access")(call) ? "server-error" : null));

    expect(await authorize(made.key)).toEqual(admitted());
    now += second;
    expect(await authorize(made.key)).toEqual(admitted());
    expect(new Set(calls.filter(isOn("UpdateItem", "access")).map(({ input }) => JSON.stringify(input))).size).toBe(1);
  });

  test("holds up an answer for a second at most when it is slow to learn of a use", async () => {
    const silent = await startWatchedServer(() => undefined);
    const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient(silent.url)));
    const { noteUse } = apiKeyStore({ ...database, client }, clock);
    const authorize = authorizer({ ...apiKeyStore(database, clock), noteUse }, null, sharedKey, noSignIn, clock);
    const begun = performance.now();

    expect(await authorize(authorizerEvent({ "X-API-Key": made.key }))).toEqual(admitted());
    expect(performance.now() - begun).toBeLessThan(2000);
    expect(silent.requests).toEqual(["/"]);
    await silent.close();
  });

  test("that is away refuses nobody: the gateway answers that the fault is ours", async () => {
    const { authorize } = newAuthorizer(() => "server-error");

    await expect(authorize(made.key)).rejects.toThrow("injected");
  });
});
