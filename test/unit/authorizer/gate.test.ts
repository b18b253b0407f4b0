import type { APIGatewayProxyEvent } from "aws-lambda";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { projectGate } from "../../../lib/http/gate.ts";
import { contextOf, type Verified } from "../../../lib/http/principal-context.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import { rateLimits } from "../../../lib/store/access/rate-limits.ts";
import { userStore } from "../../../lib/store/access/users.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
let now = Date.parse("2026-10-01T10:00:00Z");
const clock = (): number => now;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const request = (caller: Verified, headers: Readonly<Record<string, string | readonly string[]>>) =>
  ({
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()])),
    requestContext: { authorizer: contextOf(caller) },
  }) as unknown as APIGatewayProxyEvent;

const newGate = () => {
  const watched = watchedDatabase(database);
  const gate = projectGate(
    accessStore(watched, 10, clock),
    userStore(watched, clock),
    rateLimits(watched, clock),
    1,
    clock,
  );
  return {
    calls: watched.calls,
    admit: (caller: Verified, headers: Readonly<Record<string, string | readonly string[]>>) =>
      gate.admit(request(caller, headers), listTraces),
  };
};

let user: Verified & { kind: "user" };
let project: { readonly id: string; readonly organizationId: string };
beforeEach(async () => {
  user = { kind: "user", userId: randomUUID(), email: "ann@example.com", displayName: null };
  const access = accessStore(database, 10);
  const organization = await access.createOrganization("Acme");
  await access.addMember(organization, user.userId, "MEMBER");
  project = await access.projectNamed(organization, "default");
});

describe("the gate", () => {
  test("knows a user by the token and nothing more of them", async () => {
    const caller = await newGate().admit(user, { "X-Project-ID": project.id });

    expect(caller).toEqual({
      principal: { kind: "user", userId: user.userId },
      project: expect.objectContaining({ id: project.id }) as unknown,
    });
  });

  test("reads for a known user once in 30 seconds and writes nothing", async () => {
    const headers = { "X-Project-ID": project.id };
    await newGate().admit(user, headers);
    const { admit, calls } = newGate();

    for (let second = 0; second < 30; second += 1) {
      await admit(user, headers);
      now += 1000;
    }

    expect(calls.map(({ operation }) => operation)).toEqual(["GetItem", "GetItem", "GetItem", "GetItem"]);
    await admit(user, headers);
    expect(calls).toHaveLength(8);
  });

  test("signs a user in whose project is not found", async () => {
    const stranger = { ...user, userId: randomUUID() };
    const { admit, calls } = newGate();

    await expect(admit(stranger, { "X-Project-ID": project.id })).rejects.toMatchObject({
      reason: { kind: "not-found" },
    });
    await expect(admit(stranger, {})).rejects.toMatchObject({ reason: { kind: "invalid" } });
    expect(calls.filter(({ operation }) => operation === "TransactWriteItems")).toHaveLength(1);
  });

  test("takes over an address as soon as a token has another", async () => {
    const { admit } = newGate();
    await admit(user, { "X-Project-ID": project.id });
    const { calls, admit: elsewhere } = newGate();
    await elsewhere(user, { "X-Project-ID": project.id });
    await elsewhere({ ...user, email: "ann@new.example" }, { "X-Project-ID": project.id });

    expect(calls.filter(({ operation }) => operation === "TransactWriteItems")).toHaveLength(1);
  });

  test("takes a project header that says the same twice, and refuses two that differ", async () => {
    const key: Verified = { kind: "key", keyId: "k", organizationId: project.organizationId };
    const { admit } = newGate();
    const twice = [project.id, ` ${project.id}`, ""];

    expect((await admit(user, { "x-project-id": twice })).project.id).toBe(project.id);
    expect((await admit(key, { "X-PROJECT-NAME": ["default", "default"] })).project.id).toBe(project.id);
    for (const refused of [
      admit(user, { "X-Project-ID": [project.id, randomUUID()] }),
      admit(key, { "X-Project-Name": ["default", "other"] }),
    ]) {
      await expect(refused).rejects.toMatchObject({
        reason: { kind: "invalid", violations: [{ msg: "Header should be given once" }] },
      });
    }
  });

  test("leaves the header of the other credential alone", async () => {
    const key: Verified = { kind: "key", keyId: "k", organizationId: project.organizationId };
    const { admit } = newGate();

    const byUser = await admit(user, { "X-Project-ID": project.id, "X-Project-Name": ["/", "//"] });
    const byKey = await admit(key, { "X-Project-ID": ["x", "y"], "X-Project-Name": "default" });

    expect([byUser.project.id, byKey.project.id]).toEqual([project.id, project.id]);
  });
});
