import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issuerName, localAudience } from "../../../../infra/local/issuer.ts";
import { synthesizeForDevelopment } from "../../../../infra/local/synth.ts";
import { deriveUserId } from "../../../../lib/authorizer/bearer-token.ts";
import { errorDocsPath } from "../../../../lib/domain/error-codes.ts";
import { getHealth } from "../../../../lib/contract/service.ts";
import { createTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { accessStore } from "../../../../lib/store/access/project-lookup.ts";
import { clientWith, requestTimeout } from "../../../support/service/client.ts";
import { expectStatus } from "../../../support/reply-shape.ts";
import { databaseOf } from "../../../support/service/service-database.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";
import {
  forgeries,
  goodClaims,
  goodHeader,
  json,
  keySetOf,
  newSigningKey,
  startWatchedServer,
  type Target,
  tokenOf,
} from "../../../support/service/tokens.ts";

const [rsa, ec, encryption] = [newSigningKey("RS256"), newSigningKey("ES256"), newSigningKey("RS256", "encryption")];
const keySet = json(keySetOf({ rsa, ec, encryption }));
const keyServer = await startWatchedServer(keySet);
const attacker = await startWatchedServer(json({ keys: [] }));
const target: Target = { issuer: issuerName, audience: localAudience, rsa, ec, encryption, attackerUrl: attacker.url };

let service: RunningService;
beforeAll(async () => {
  const jwksUri = `${keyServer.url}/keys`;
  service = await startService({
    synthesize: (directory, settings, builds) => synthesizeForDevelopment(directory, { ...settings, jwksUri }, builds),
  });
});
afterAll(async () => {
  await service.close();
  await Promise.all([keyServer.close(), attacker.close()]);
});

const token = (sub: string, claims: object = {}, key = rsa): string =>
  tokenOf(goodHeader(key), { ...goodClaims(target), sub, ...claims }, key);

const caller = (bearer: string, projectId: string = service.tenant.projectId) =>
  clientWith(service, { Authorization: `Bearer ${bearer}`, "X-Project-ID": projectId });

/** The reply to a list of traces. Fails on a 5xx. */
const listing = async (sub: string, projectId: string): Promise<Response> =>
  fetch(`${service.baseUrl}${listTraces.path}`, {
    headers: { Authorization: `Bearer ${token(sub)}`, "X-Project-ID": projectId },
  });

/** Subject of a new user who belongs to an organization with a project. */
const newMember = async (): Promise<{ readonly sub: string; readonly projectId: string }> => {
  const sub = randomUUID();
  const access = accessStore(databaseOf(service), 10);
  const organization = await access.createOrganization("Acme");
  await access.addMember(organization, deriveUserId(issuerName, sub), "MEMBER");
  const { id } = await access.findOrCreateProject(organization, "default");
  return { sub, projectId: id };
};

const itemsOf = async (pk: string): Promise<readonly Record<string, unknown>[]> => {
  const { client, table } = databaseOf(service);
  const query = { TableName: table("access"), KeyConditionExpression: "pk = :pk", ConsistentRead: true };
  const { Items = [] } = await client.send(new QueryCommand({ ...query, ExpressionAttributeValues: { ":pk": pk } }));
  return Items;
};

/** A promise that settles when every instance of the authorizer has cached the issuer's keys. */
const warmUp = async (): Promise<void> => {
  const { sub, projectId } = await newMember();
  const statuses = async () =>
    new Set((await Promise.all(Array.from({ length: 30 }, () => listing(sub, projectId)))).map(({ status }) => status));
  await expect.poll(statuses, { timeout: requestTimeout, interval: 500 }).toEqual(new Set([200]));
};

// The first test needs an authorizer that has not fetched the issuer's keys.
describe("an issuer that is down", () => {
  test("is answered 503 with Retry-After, and nobody is refused once the issuer is back", async () => {
    const { sub, projectId } = await newMember();
    keyServer.serve((request) => request.socket.destroy());

    const cold = await listing(sub, projectId);
    expect([cold.status, cold.headers.get("retry-after"), await cold.json()]).toEqual([
      503,
      "1",
      {
        detail: "The service is busy. Try again in a moment.",
        code: "unavailable",
        request_id: cold.headers.get("x-request-id"),
        documentation_url: `${service.baseUrl}${errorDocsPath("unavailable")}`,
      },
    ]);
    keyServer.serve(keySet);

    await warmUp();
    expectStatus(await caller(token(sub), projectId).call(listTraces), 200);
  });

  test("does not affect tokens at an authorizer that has cached the issuer's keys", async () => {
    const { sub, projectId } = await newMember();
    keyServer.serve((request) => request.socket.destroy());

    const replies = [
      await caller(token(sub), projectId).call(listTraces),
      await caller(token(sub, {}, ec), projectId).call(createTrace, { body: { name: "x", started_at: "2026-10-01" } }),
    ];
    keyServer.serve(keySet);

    expect(replies.map(({ status }) => status)).toEqual([200, 202]);
  });

  test("affects neither callers with an API key nor public routes", async () => {
    keyServer.serve((request) => request.socket.destroy());
    const byKey = clientWith(service, { "X-API-Key": service.tenant.apiKey, "X-Project-Name": "default" });
    const replies = [await byKey.call(listTraces), await clientWith(service, {}).call(getHealth)];
    keyServer.serve(keySet);

    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe("forged, expired, mis-issued and abused tokens", () => {
  test("are refused with one error shape, and cause requests to the issuer only", async () => {
    const requestsBefore = keyServer.requests.length;
    const forged = forgeries(target).filter(([, token]) => token !== "");
    const replies = await Promise.all(
      forged.map(async ([name, forgery]) => ({ name, reply: await caller(forgery).call(listTraces) })),
    );

    const details = new Set(replies.map(({ reply }) => reply.text));
    expect(replies.filter(({ reply }) => reply.status !== 401).map(({ name }) => name)).toEqual([]);
    expect(replies.length).toBeGreaterThan(100);
    expect([...details].toSorted()).toEqual(['{"detail":"Invalid token."}', '{"detail":"Token has expired."}']);
    expect(replies.filter(({ reply }) => reply.headers["www-authenticate"] !== "Bearer")).toEqual([]);
    expect(new Set(keyServer.requests)).toEqual(new Set(["/keys"]));
    expect(keyServer.requests.length - requestsBefore).toBeLessThanOrEqual(16);
    expect(attacker.requests).toEqual([]);
  });

  test("appear in no log line", async () => {
    const forgedToken = token("secret-subject", { exp: 1 });
    await caller(forgedToken).call(listTraces);
    const logs = readdirSync(service.directory, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".log"))
      .map((name) => readFileSync(join(service.directory, name), "utf8"))
      .join("");

    expect(logs).not.toBe("");
    for (const part of [...forgedToken.split("."), "secret-subject"]) expect(logs).not.toContain(part);
  });
});

describe("a first sign-in", () => {
  test("creates one user and one organization, even from fifty requests at once", async () => {
    const sub = randomUUID();
    const me = caller(token(sub, { email: "ann@example.com", email_verified: true, name: "Ann" }));

    const replies = await Promise.all(Array.from({ length: 50 }, () => me.call(listTraces)));

    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['404 {"detail":"Project not found or does not belong to your organization."}']),
    );
    const userId = deriveUserId(issuerName, sub);
    const items = await itemsOf(`user#${userId}`);
    expect(items).toEqual([
      expect.objectContaining({ role: "OWNER" }),
      expect.objectContaining({
        email: "ann@example.com",
        display_name: "Ann",
        memberships: 1,
        first_organizations: 1,
      }),
    ]);
    const organization = String(items[0]?.["sk"]).replace("member#", "organization#");
    expect(await itemsOf(organization)).toEqual([
      expect.objectContaining({ sk: `member#${userId}`, role: "OWNER" }),
      expect.objectContaining({ sk: "organization", name: "My Organization" }),
      expect.objectContaining({ sk: "project#onboarding" }),
    ]);
  });

  test("gives access to projects of the user's organization", async () => {
    const sub = randomUUID();
    await caller(token(sub)).call(listTraces);
    const [membership] = await itemsOf(`user#${deriveUserId(issuerName, sub)}`);
    const organization = String(membership?.["sk"]).slice("member#".length);
    const project = await accessStore(databaseOf(service), 10).findOrCreateProject(organization, "default");

    const mine = caller(token(sub), project.id);
    const [ownReply, foreignReply] = [
      await mine.call(createTrace, { body: { name: "x", started_at: "2026-10-01" } }),
      await caller(token(randomUUID()), project.id).call(listTraces),
    ];

    expect([ownReply.status, foreignReply.status]).toEqual([202, 404]);
  });

  test("does not happen with a token that is refused", async () => {
    const sub = randomUUID();
    await caller(token(sub, { aud: "other" })).call(listTraces);

    expect(await itemsOf(`user#${deriveUserId(issuerName, sub)}`)).toEqual([]);
  });
});

describe("two values of one header", () => {
  test("that name different projects are refused; the same value twice is accepted", async () => {
    const { sub, projectId } = await newMember();
    const withIds = (...ids: readonly string[]) =>
      caller(token(sub)).call(listTraces, { headers: { "X-Project-ID": ids } });

    expect(await withIds(projectId, randomUUID())).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["header", "X-Project-ID"], msg: "Header should be given once" }] },
    });
    expectStatus(await withIds(projectId, projectId), 200);
    expectStatus(await withIds(projectId.toUpperCase()), 200);
  });

  test("that name different callers are refused; the same value twice is accepted", async () => {
    const { sub, projectId } = await newMember();
    const withTokens = (...tokens: readonly string[]) =>
      clientWith(service, {
        Authorization: tokens.map((bearerToken) => `Bearer ${bearerToken}`),
        "X-Project-ID": projectId,
      }).call(listTraces);
    const mine = token(sub);

    const replies = [
      await withTokens(mine, token(randomUUID())),
      await withTokens(token(randomUUID()), mine),
      await withTokens(mine, mine),
    ];

    expect(replies.map(({ status }) => status)).toEqual([401, 401, 200]);
  });
});
