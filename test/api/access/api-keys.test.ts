import { randomUUID } from "node:crypto";
import { beforeAll, expect, inject, test } from "vitest";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { hashApiKey, newApiKey } from "../../../lib/domain/access/identity.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { apiKeyStore } from "../../../lib/store/access/api-keys.ts";
import { clientWith, type Headers } from "../../support/service/client.ts";
import { expectStatus } from "../../support/reply-shape.ts";
import { databaseAt } from "../../support/service/service-database.ts";

const service = inject("service");
const database = databaseAt(inject("storage"));
const keys = apiKeyStore(database);

let organization: string;
beforeAll(async () => {
  organization = await accessStore(database, 100).createOrganization("Keys");
});

const withKey = (key: string | readonly string[], headers: Headers = {}) =>
  clientWith(service, { "X-API-Key": key, "X-Project-Name": "default", ...headers });

const invalid = '401 {"detail":"Invalid or revoked API key."}';
const expired = '401 {"detail":"API key has expired. Please generate a new one."}';

test("every invalid key is refused with the same error", async () => {
  const good = service.tenant.apiKey;
  const hex = good.slice("sk_as_".length);
  const wrong = [
    "x",
    "sk_as_",
    hex,
    hashApiKey(good),
    `sk_as_${hashApiKey(good)}`,
    `sk_pp_${hex}`,
    good.toUpperCase(),
    good.slice(0, -1),
    `${good}0`,
    `${good.slice(0, -1)}g`,
    `${good},${good}`,
    `${good}, ${newApiKey()}`,
    `${good}%0A`,
    `"${good}"`,
    `Bearer ${good}`,
    `key#${hashApiKey(good)}`,
    "sk_as_' OR '1'='1",
    "null",
    "undefined",
    "a".repeat(8000),
    newApiKey(),
    newApiKey(),
    [good, newApiKey()],
    [newApiKey(), good],
    [good, service.stranger.apiKey],
  ];
  const replies = await Promise.all(wrong.map((key) => withKey(key).call(listTraces)));

  expect(replies.map(({ status, text }) => `${status} ${text}`)).toEqual(wrong.map(() => invalid));
});

test("a key works under a header name of any case, and when it is sent twice", async () => {
  const key = service.tenant.apiKey;
  const headers: readonly Headers[] = [
    { "x-api-key": key, "x-project-name": "default" },
    { "X-API-KEY": key, "X-PROJECT-NAME": "default" },
    { "x-Api-kEy": key, "x-pRoject-Name": "default" },
    { "X-API-Key": [key, key], "X-Project-Name": ["default", "default"] },
    { "X-API-Key": ["", key], "X-Project-Name": ["", "default"] },
  ];
  const replies = await Promise.all(headers.map((each) => clientWith(service, each).call(listTraces)));

  expect(replies.map(({ status }) => status)).toEqual(headers.map(() => 200));
});

test("a key gives access to its organization's projects only", async () => {
  const name = `shared-${randomUUID()}`;
  const [mine, theirs] = [service.tenant, service.stranger].map(({ apiKey }) =>
    withKey(apiKey, { "X-Project-Name": name }),
  );
  const trace_id = randomUUID();
  expectStatus((await mine?.call(createTrace, { body: { trace_id, name: "x", started_at: "2026-10-01" } }))!, 202);

  expect((await theirs?.answer(listTraces))?.items).toEqual([]);
  expect((await mine?.answer(listTraces))?.items).toHaveLength(1);
});

test("a key is refused once it has expired", async () => {
  const [past, soon, later] = await Promise.all(
    [-1000, 1500, 3_600_000].map((after) => keys.create(organization, "short", after)),
  );
  const outcomeOf = async (key: string): Promise<string> => {
    const { status, text } = await withKey(key).call(listTraces);
    return status === 200 ? "200" : `${status} ${text}`;
  };

  expect(await Promise.all([past, soon, later].map((apiKey) => outcomeOf(apiKey?.key ?? "")))).toEqual([
    expired,
    "200",
    "200",
  ]);
  await new Promise((resolve) => setTimeout(resolve, 1600));
  expect(await outcomeOf(soon?.key ?? "")).toBe(expired);
});

test("a key that was revoked before its first use is refused", async () => {
  const { id, key } = await keys.create(organization, "revoked");
  await keys.revoke(organization, id);

  const { status, text } = await withKey(key).call(listTraces);

  expect(`${status} ${text}`).toBe(invalid);
});

test("a key in use is refused everywhere 5 seconds after its revocation", async () => {
  const { id, key } = await keys.create(organization, "leaked");
  // Each authorizer that runs in parallel caches the key.
  const many = () => Promise.all(Array.from({ length: 10 }, () => withKey(key).call(listTraces)));
  const before = await many();
  await keys.revoke(organization, id);
  await new Promise((resolve) => setTimeout(resolve, 5_500));

  const after = await many();

  expect(before.map(({ status }) => status)).toEqual(before.map(() => 200));
  expect(after.map(({ status }) => status)).toEqual(after.map(() => 401));
});

test("the last use of a key is recorded", async () => {
  const { key } = await keys.create(organization, "used");
  const lastUse = async () => (await keys.find(hashApiKey(key)))?.lastUsedAt ?? null;
  expect(await lastUse()).toBeNull();

  const before = Date.now();
  await withKey(key).call(listTraces);
  const first = await lastUse();
  await Promise.all(Array.from({ length: 20 }, () => withKey(key).call(listTraces)));

  expect(first).toBeGreaterThanOrEqual(before);
  expect(await lastUse()).toBe(first);
});
