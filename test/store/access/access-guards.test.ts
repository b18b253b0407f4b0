import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
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
