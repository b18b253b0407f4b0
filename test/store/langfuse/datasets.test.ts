import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../lib/dynamo/database.ts";
import { langfuseDatasetWriter } from "../../../lib/handlers/langfuse/write-datasets.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { pauseAt, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test("two requests that create a dataset of one name at the same moment have the same one", async () => {
  const project = { id: randomUUID() };
  const put = (connection: Database, fields: object) => {
    const { putDataset } = langfuseDatasetWriter(connection);
    const request = { project, body: { name: "set", ...fields }, idFor: () => randomUUID(), warn: () => undefined };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a request the function reads this alone.
    return putDataset(request as unknown as Parameters<typeof putDataset>[0]);
  };
  const pause = pauseAt(({ operation }) => operation === "TransactWriteItems");
  const slow = put(watchedDatabase(database, pause.decide), { description: "Refunds." });
  await pause.reached;
  const fast = await put(database, { metadata: { team: "support" } });
  pause.open();

  expect(await slow).toMatchObject({ id: fast.id, description: "Refunds.", metadata: { team: "support" } });
});
