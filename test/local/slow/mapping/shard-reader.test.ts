import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient, ExpiredIteratorException, ListStreamsCommand } from "@aws-sdk/client-dynamodb-streams";
import type { DynamoDBRecord } from "aws-lambda";
import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { localClient } from "../../../../infra/local/host/aws-client.ts";
import { shardIds, shardReader } from "../../../../infra/local/mapping/shard-reader.ts";
import { startDatabase } from "../../../support/database/database.ts";

test("an expired iterator loses no record, and repeats none", async () => {
  const database = await startDatabase({ streams: true });
  const endpoint = await database.client.config.endpoint?.();
  const client = new DynamoDBStreamsClient(localClient(`http://${endpoint?.hostname}:${endpoint?.port}`));
  onTestFinished(async () => {
    client.destroy();
    await database.close();
  });
  let injected = 0;
  let isDue = false;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context["commandName"] === "GetRecordsCommand" && isDue) {
        isDue = false;
        injected += 1;
        throw new ExpiredIteratorException({ message: "injected", $metadata: { httpStatusCode: 400 } });
      }
      return next(args);
    },
    { step: "finalizeRequest", priority: "low", name: "expired" },
  );
  const TableName = database.table("runs");
  const put = (pk: string) =>
    database.client.send(new PutItemCommand({ TableName, Item: { pk: { S: pk }, sk: { S: "x" } } }));
  const { Streams = [] } = await client.send(new ListStreamsCommand({ TableName }));
  const engineArn = Streams[0]?.StreamArn ?? "";
  const stream = { engineArn, arn: engineArn, timeStep: database.streamTimeStep };
  const [shard = ""] = await shardIds(client, stream);
  const readShard = shardReader(client, stream, shard, undefined, true);
  const names = Array.from({ length: 6 }, () => randomUUID());
  const sequences: (string | undefined)[] = [];

  for (const name of names) {
    await put(name);
    isDue = true;
    // The first read hits the fault, the second one follows it.
    for (const _ of [1, 2]) {
      const { records } = await readShard();
      sequences.push(...records.map(({ event }) => (event as DynamoDBRecord).dynamodb?.Keys?.["pk"]?.S));
    }
  }

  expect(injected).toBe(names.length);
  expect(sequences).toEqual(names);
});
