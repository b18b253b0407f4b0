import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { dynoxide } from "../../../../infra/local/dynamodb/dynoxide.ts";
import { openProcessRegister } from "../../../../infra/local/host/process-register.ts";
import { temporaryDirectory } from "../../../support/service/local-fixture.ts";

test("stream records are indexed; otherwise every write would be slower than the one before", async () => {
  const directory = temporaryDirectory();
  const running = await dynoxide.start(directory, openProcessRegister(directory));
  running.repair();
  await running.close();

  const database = new DatabaseSync(join(directory, "dynamodb.sqlite"));
  const sequenceTables = database.prepare("SELECT name FROM sqlite_master WHERE name = 'local_stream_seq'").all();
  database.close();

  expect(sequenceTables).toHaveLength(1);
});
