import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, expect, test, vi } from "vitest";
import { localClient } from "../../../../infra/local/host/aws-client.ts";
import { defaultBounds } from "../../../../lib/aws/call-bounds.ts";
import { connect, type Database } from "../../../../lib/dynamo/database.ts";
import {
  sendEmptyReply,
  brokenBehaviours,
  startBrokenServer,
  type BrokenServer,
} from "../../../support/faults/broken-server.ts";
import type { FaultKind } from "../../../support/faults/fault-kind.ts";
import { faultyDatabase } from "../../../support/faults/faults.ts";
import { redirectService } from "../../clients/every-client.ts";

const servers: BrokenServer[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) await server.close();
});

/** All fields by which code can distinguish errors. */
const errorFields = async ({ client }: Pick<Database, "client">): Promise<object> => {
  const error: unknown = await client.send(new GetCommand({ TableName: "rows", Key: { pk: "p" } })).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error("The request did not fail.");
  const { totalRetryDelay, ...metadata } = Reflect.get(error, "$metadata") as Record<string, unknown>;
  const knownMetadata = Object.entries(metadata).filter(([, value]) => value !== undefined);
  return {
    name: error.name,
    // The time-out of the real client is shorter in this test.
    message: error.message.replace(/\d+ ms/u, "so many ms"),
    code: Reflect.get(error, "code"),
    metadata: Object.fromEntries(knownMetadata),
    waited: typeof totalRetryDelay,
    retryable: Reflect.get(error, "$retryable"),
    fault: Reflect.get(error, "$fault"),
    type: error.constructor.name,
  };
};

/** The error of the service's own client against a broken server. */
const errorOfServer = async (conduct: keyof typeof brokenBehaviours): Promise<object> => {
  const server = await startBrokenServer(brokenBehaviours[conduct]);
  servers.push(server);
  redirectService("DYNAMODB", server.url);
  const fields = await errorFields(connect({ ...defaultBounds, reply: 300, attempt: 600, pause: 0 }));
  expect(server.requests).toBe(defaultBounds.attempts);
  return fields;
};

const errorOfInjection = async (kind: FaultKind): Promise<object> => {
  const server = await startBrokenServer(sendEmptyReply);
  servers.push(server);
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient(server.url)));
  let requests = 0;
  const fields = await errorFields(
    faultyDatabase({ client, table: (name) => name }, () => {
      requests += 1;
      return kind;
    }),
  );
  expect(requests).toBe(defaultBounds.attempts);
  return fields;
};

test("an injected time-out equals the client's error for a server that never answers", async () => {
  const [silent, before, after] = await Promise.all([
    errorOfServer("silent"),
    errorOfInjection("timeout-before"),
    errorOfInjection("timeout-after"),
  ]);

  expect(silent).toMatchObject({ name: "TimeoutError", code: "ETIMEDOUT", metadata: { attempts: 3 } });
  expect([before, after]).toEqual([silent, silent]);
});

test("an injected connection reset equals the client's error for a reset in the middle of a reply", async () => {
  const [resetting, inserted] = await Promise.all([errorOfServer("resetting"), errorOfInjection("reset")]);

  expect(resetting).toMatchObject({ code: "ECONNRESET", metadata: { attempts: 3, httpStatusCode: 200 } });
  expect(inserted).toEqual(resetting);
});
