import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectKey } from "../../../lib/store/access/keys.ts";
import { organizationsOfProjects } from "../../../lib/store/access/organizations-of-projects.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test("the organization of a project is read once and cached; a missing project is read each time", async () => {
  const [project, missing, organization] = [randomUUID(), randomUUID(), randomUUID()];
  await database.client.send(new PutCommand({ TableName: "access", Item: { ...projectKey(project), organization } }));
  const watched = watchedDatabase(database);
  const organizationOf = organizationsOfProjects(watched);

  const twice = [await organizationOf(project), await organizationOf(project)];
  const lookedUp = watched.calls.length;
  const gone = [await organizationOf(missing), await organizationOf(missing)];

  expect([twice, lookedUp]).toEqual([[organization, organization], 1]);
  expect([gone, watched.calls.length]).toEqual([[null, null], 3]);
});
