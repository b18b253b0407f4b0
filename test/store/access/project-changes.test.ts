import { randomUUID } from "node:crypto";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { projectKey } from "../../../lib/store/access/keys.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { projectStore } from "../../../lib/store/access/projects.ts";
import { startDatabase } from "../../support/database/database.ts";

test("changes of different settings of a project at the same time are all kept", async () => {
  const database = await startDatabase();
  onTestFinished(() => database.close());
  const organization = await accessStore(database, 10).createOrganization("Acme");
  const { id } = await accessStore(database, 10).findOrCreateProject(organization, "checkout");
  // An item of an earlier version lacks attributes.
  await database.client.send(
    new UpdateCommand({
      TableName: "access",
      Key: projectKey(id),
      UpdateExpression: "REMOVE description, metadata_keys",
    }),
  );

  const changes = [{ description: "The till" }, { metadata_keys: ["tier"] }, { name: "till" }];
  const [projects, actor] = [projectStore(database), randomUUID()];
  await Promise.all(changes.map((change) => projects.update(organization, id, change, actor)));

  expect(await projects.find(organization, id)).toMatchObject(Object.assign({}, ...changes));
});
