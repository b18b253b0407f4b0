import type { APIGatewayProxyEvent } from "aws-lambda";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Route } from "../../../lib/contract/route.ts";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { getTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { newExchange } from "../../../lib/http/exchange.ts";
import { projectGuards } from "../../../lib/http/guards/project-guard.ts";
import { fullScope } from "../../../lib/domain/access/key-scope.ts";
import { refusalOf } from "../../../lib/http/refusal-of.ts";
import { contextOfCaller, type VerifiedCaller } from "../../../lib/http/guards/principal-context.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { rateLimits } from "../../../lib/store/limits/rate-limits.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import type { Call, Decide } from "../../support/faults/fault-kind.ts";
import { pausePoint } from "../../support/service/pause-point.ts";

let database: TestDatabase;
let now = Date.parse("2026-10-01T10:00:00Z");
const clock = (): number => now;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const request = (caller: VerifiedCaller, headers: Readonly<Record<string, string | readonly string[]>>) =>
  ({
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()])),
    requestContext: { authorizer: contextOfCaller(caller) },
  }) as unknown as APIGatewayProxyEvent;

const keyOf = (organizationId: string): VerifiedCaller => ({
  kind: "key",
  keyId: randomUUID(),
  organizationId,
  scope: fullScope,
  maker: null,
});

/** Operations of the calls, sorted: the order of two calls at the same time does not matter. */
const operations = (calls: readonly Call[]): readonly string[] => calls.map(({ operation }) => operation).toSorted();

const newGate = (route: Route = getTraceRun, decide?: Decide) => {
  const watched = watchedDatabase(database, decide);
  const access = accessStore(watched, 10, clock);
  const { named, telemetry } = projectGuards(
    access,
    (key, name) => access.findOrCreateProject(key.organizationId, name, key),
    rateLimits(watched, clock),
    1,
    clock,
  );
  return {
    calls: watched.calls,
    admit: (caller: VerifiedCaller, headers: Readonly<Record<string, string | readonly string[]>>) =>
      named.admit(newExchange(request(caller, headers), route)),
    admitTelemetry: (caller: VerifiedCaller, headers: Readonly<Record<string, string>>) =>
      telemetry.admit(newExchange(request(caller, headers), exportTraces)),
  };
};

let user: VerifiedCaller & { kind: "user" };
let project: { readonly id: string; readonly organizationId: string };
beforeEach(async () => {
  user = { kind: "user", userId: randomUUID(), email: "ann@example.com", displayName: null };
  const access = accessStore(database, 10);
  const organization = await access.createOrganization("Acme");
  await access.addMember(organization, user.userId, "MEMBER");
  project = await access.findOrCreateProject(organization, "default");
});

describe("the access guard", () => {
  test("identifies a user by the token and knows nothing else of them", async () => {
    const caller = await newGate().admit(user, { "X-Project-ID": project.id });

    expect(caller).toEqual({
      principal: { kind: "user", userId: user.userId },
      keyAccess: null,
      project: expect.objectContaining({ id: project.id }) as unknown,
    });
  });

  test("for readers reads a user's project once in 5 seconds and writes nothing", async () => {
    const headers = { "X-Project-ID": project.id };
    await newGate().admit(user, headers);
    const { admit, calls } = newGate();

    for (let second = 0; second < 5; second += 1) {
      await admit(user, headers);
      now += 1000;
    }

    // One batch reads the project, the other request its organization and the membership.
    expect(operations(calls)).toEqual(["BatchGetItem", "GetItem"]);
    await admit(user, headers);
    expect(operations(calls.slice(2))).toEqual(["BatchGetItem"]);
  });

  test("with a project cache distinguishes projects of one name by their organization", async () => {
    const { admit } = newGate();
    const otherOrganization = await accessStore(database, 10).createOrganization("Other");
    const projectHeader = { "X-Project-Name": "default" };

    const first = await admit(keyOf(project.organizationId), projectHeader);
    const second = await admit(keyOf(otherOrganization), projectHeader);
    const third = await admit(keyOf(project.organizationId), projectHeader);

    expect([first.project, second.project].map(({ organizationId }) => organizationId)).toEqual([
      project.organizationId,
      otherOrganization,
    ]);
    expect(third.project).toEqual(first.project);
    expect(second.project.id).not.toBe(first.project.id);
  });

  test("takes the project's name beside a key in Authorization, unless the project header names another", async () => {
    const { admit } = newGate();
    const key = keyOf(project.organizationId);
    const basic = (name: string) => `Basic ${Buffer.from(`${name}:sk_as_x`).toString("base64")}`;
    const admittedByHeader = await admit(key, { "X-Project-Name": "default" });

    const beside = await admit(key, { Authorization: basic("default") });
    const admittedByBoth = await admit(key, { Authorization: basic("elsewhere"), "X-Project-Name": "default" });
    const unnamed = [
      { Authorization: basic("") },
      { Authorization: "Bearer sk_as_x" },
      { Authorization: basic("default"), "X-API-Key": "sk_as_x" },
    ].map((headers) => admit(key, headers).catch((error: unknown) => refusalOf(error, () => 0)));

    expect([beside.project, admittedByBoth.project]).toEqual([admittedByHeader.project, admittedByHeader.project]);
    expect(await Promise.all(unnamed)).toMatchObject(
      unnamed.map(() => ({ reason: { kind: "invalid", violations: [{ loc: ["header", "X-Project-Name"] }] } })),
    );
  });

  test("for writers reads the project each time, in one request of strongly consistent reads", async () => {
    const key = keyOf(project.organizationId);
    const { admit, calls } = newGate(createTrace);
    await admit(key, { "X-Project-Name": "default" });
    await admit(user, { "X-Project-ID": project.id });
    const before = calls.length;

    await admit(key, { "X-Project-Name": "default" });
    await admit(user, { "X-Project-ID": project.id });

    const after = calls.slice(before);
    expect(operations(after)).toEqual(["BatchGetItem", "BatchGetItem", "UpdateItem", "UpdateItem"]);
    expect(JSON.stringify(after).match(/"ConsistentRead":true/gu)).toHaveLength(2);
  });

  test.each<[string, () => VerifiedCaller, () => Readonly<Record<string, string>>]>([
    ["a key", () => keyOf(project.organizationId), () => ({ "X-Project-Name": "default" })],
    ["a user", () => user, () => ({ "X-Project-ID": project.id })],
  ])(
    "counts a request of %s while it reads the project",
    async (_who, caller, headers) => {
      const both = pausePoint();
      let waiting = 0;
      const { admit, calls } = newGate(createTrace, async ({ operation, input }) => {
        if (!warm || !(operation === "BatchGetItem" || input["TableName"] === "limits")) return null;
        waiting += 1;
        if (waiting === 2) both.open();
        await both.pass();
        return null;
      });
      let warm = false;
      const principal = caller();
      await admit(principal, headers());
      warm = true;
      const before = calls.length;

      await admit(principal, headers());

      expect(operations(calls.slice(before))).toEqual(["BatchGetItem", "UpdateItem"]);
      expect(waiting).toBe(2);
      // If one request were sent after the other, neither would end.
    },
    30_000,
  );

  test("creates no project for a request over the rate limit, and says nothing else about it", async () => {
    const key = keyOf(project.organizationId);
    const stranger = { ...user, userId: randomUUID() };
    const { admit, calls } = newGate({ ...createTrace, limitPerMinute: 1 });
    await admit(key, { "X-Project-Name": "default" });
    // A request that names no project is counted separately.
    await expect(admit({ ...user, userId: stranger.userId }, {})).rejects.toMatchObject({
      reason: { kind: "invalid" },
    });
    const before = calls.length;

    for (const attempt of [
      () => admit(key, { "X-Project-Name": "another" }),
      () => admit(key, { "X-Project-Name": "/" }),
      () => admit(key, {}),
      () => admit(stranger, { "X-Project-ID": randomUUID() }),
      () => admit({ ...stranger, displayName: "Another" }, {}),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ reason: { kind: "rate-limited" } });
    }

    const laterCalls = calls.slice(before).filter(({ input }) => input["TableName"] !== "limits");
    expect(operations(laterCalls).filter((operation) => !/Get/u.test(operation))).toEqual([]);
    expect(await accessStore(database, 10).findOrCreateProject(project.organizationId, "default")).toMatchObject(
      project,
    );
  });

  test("refuses a caller whose request cannot be counted, and creates no project for it", async () => {
    const key = keyOf(project.organizationId);
    const { admit, calls } = newGate(createTrace, ({ operation }) => (operation === "UpdateItem" ? "throttle" : null));

    const refusal = await admit(key, { "X-Project-Name": "uncounted" }).catch((error: unknown) => error);

    expect(refusalOf(refusal, () => 0)?.reason.kind).toBe("unavailable");
    expect(operations(calls).filter((operation) => operation === "TransactWriteItems")).toEqual([]);
    expect(operations(calls)).toContain("UpdateItem");
  });

  test("accepts a project header that is sent twice with one value, and refuses two different values", async () => {
    const key = keyOf(project.organizationId);
    const { admit } = newGate();
    const twice = [project.id, ` ${project.id}`, ""];

    expect((await admit(user, { "x-project-id": twice })).project.id).toBe(project.id);
    expect((await admit(key, { "X-PROJECT-NAME": ["default", "default"] })).project.id).toBe(project.id);
    expect((await admit(key, { "X-Project-Name": "default, default" })).project.id).toBe(project.id);
    for (const admission of [
      admit(user, { "X-Project-ID": [project.id, randomUUID()] }),
      admit(key, { "X-Project-Name": ["default", "other"] }),
    ]) {
      await expect(admission).rejects.toMatchObject({
        reason: { kind: "invalid", violations: [{ msg: "Header should be given once" }] },
      });
    }
  });

  test("ignores an API key in a header of the project, where clients with one key for all schemes put it", async () => {
    const key = keyOf(project.organizationId);
    const { admit } = newGate();
    const apiKey = { "X-API-Key": "sk_as_1", "X-Project-ID": "sk_as_1" };

    const named = await admit(key, { ...apiKey, "X-Project-Name": ["default", "sk_as_1"] });
    const unnamed = admit(key, { ...apiKey, "X-Project-Name": "sk_as_1" });

    expect(named.project.id).toBe(project.id);
    await expect(unnamed).rejects.toMatchObject({
      reason: { kind: "invalid", violations: [{ loc: ["header", "X-Project-Name"], type: "missing" }] },
    });
  });

  test("ignores the header of the other credential", async () => {
    const key = keyOf(project.organizationId);
    const { admit } = newGate();

    const byUser = await admit(user, { "X-Project-ID": project.id, "X-Project-Name": ["/", "//"] });
    const byKey = await admit(key, { "X-Project-ID": ["x", "y"], "X-Project-Name": "default" });

    expect([byUser.project.id, byKey.project.id]).toEqual([project.id, project.id]);
  });
});
