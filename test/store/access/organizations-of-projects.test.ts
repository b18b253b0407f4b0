import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { existingProjects } from "../../../lib/store/access/existing-projects.ts";
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

test("an existing project is remembered for five seconds; a missing or deleted one is read each time", async () => {
  const [project, missing] = [randomUUID(), randomUUID()];
  const put = (fields: object) =>
    database.client.send(new PutCommand({ TableName: "access", Item: { ...projectKey(project), ...fields } }));
  await put({});
  const [watched, clock] = [watchedDatabase(database), { at: 0 }];
  const existing = existingProjects(watched, () => clock.at);
  const both = async () => [[...(await existing([project, missing]))], watched.calls.length];

  const first = await both();
  await put({ deleted_at: "2026-11-21T09:00:00.000000+00:00" });
  clock.at = 4_999;
  const [second, readAgain] = [await both(), watched.calls.at(-1)];
  clock.at = 5_000;

  expect([first, second, await both()]).toEqual([
    [[project], 1],
    [[project], 2],
    [[], 3],
  ]);
  expect(JSON.stringify(readAgain)).not.toContain(project);
});
