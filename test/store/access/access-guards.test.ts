import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Route } from "../../../lib/contract/route.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { newExchange } from "../../../lib/http/exchange.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.close();
});

test("a labeller's project, which another route has just cached, gives no access to traces", async () => {
  for (const [name, value] of Object.entries({ LIMIT_FACTOR: "1", PROJECT_MAKER: "nobody" })) vi.stubEnv(name, value);
  const access = accessStore(database, 10);
  const organization = await access.createOrganization("Example");
  const { id } = await access.findOrCreateProject(organization, "first");
  const user_id = randomUUID();
  await access.addMember(organization, user_id, "LABELLER");
  const guard = environmentGuard(database);
  const admit = (headers: object, route: Route) =>
    guard.admit(
      newExchange(
        { multiValueHeaders: headers, requestContext: { authorizer: { principal: "user", user_id } } } as never,
        route,
      ),
    );
  const byId = { "X-Project-ID": [id] };
  const byName = { "X-Project-Name": ["first"], "X-Organization-ID": [organization] };

  const admitted = [
    await admit(byId, { ...listTraces, permission: "read_or_label" }),
    await admit(byName, { ...listTraces, permission: "label" }),
  ];

  expect(admitted.map(({ project, keyAccess }) => [project.id, keyAccess])).toEqual([
    [id, "label"],
    [id, "label"],
  ]);
  for (const headers of [byId, byName])
    await expect(admit(headers, listTraces)).rejects.toMatchObject({
      reason: { kind: "forbidden", detail: "Your role may only label traces." },
    });
});

test("a rate limit of the operator applies to a route that has no limit in the contract", async () => {
  vi.stubEnv("LIMIT_FACTOR", "1");
  vi.stubEnv("LIMIT_PER_MINUTE", "2");
  vi.stubEnv("PROJECT_MAKER", "nobody");
  const access = accessStore(database, 10);
  const organization_id = await access.createOrganization("Example");
  await access.findOrCreateProject(organization_id, "first");
  const event = {
    multiValueHeaders: { "X-Project-Name": ["first"] },
    requestContext: { authorizer: { principal: "key", key_id: randomUUID(), organization_id } },
  } as unknown as APIGatewayProxyEvent;
  const guard = environmentGuard(database);
  const admit = () => guard.admit(newExchange(event, listTraces));

  const admitted = [await admit(), await admit()];

  expect(admitted.map(({ project }) => project.name)).toEqual(["first", "first"]);
  await expect(admit()).rejects.toMatchObject({ reason: { kind: "rate-limited" } });
});
