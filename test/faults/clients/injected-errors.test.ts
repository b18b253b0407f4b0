import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, expect, test, vi } from "vitest";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { usualBounds } from "../../../lib/aws/call-bounds.ts";
import { connect, type Database } from "../../../lib/store/database.ts";
import { answered, conducts, startBrokenServer, type BrokenServer } from "../../support/faults/broken-server.ts";
import type { FaultKind } from "../../support/faults/fault-kind.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { leadTo } from "./every-client.ts";

const servers: BrokenServer[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) await server.close();
});

/** All that code can tell an error by. */
const faceOf = async ({ client }: Pick<Database, "client">): Promise<object> => {
  const error: unknown = await client.send(new GetCommand({ TableName: "rows", Key: { pk: "p" } })).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error("The request did not fail.");
  const { totalRetryDelay, ...metadata } = Reflect.get(error, "$metadata") as Record<string, unknown>;
  const said = Object.entries(metadata).filter(([, value]) => value !== undefined);
  return {
    name: error.name,
    // The real one waits for less time here.
    message: error.message.replace(/\d+ ms/u, "so many ms"),
    code: Reflect.get(error, "code"),
    metadata: Object.fromEntries(said),
    waited: typeof totalRetryDelay,
    retryable: Reflect.get(error, "$retryable"),
    fault: Reflect.get(error, "$fault"),
    type: error.constructor.name,
  };
};

/** What the service's own client throws. */
const real = async (conduct: keyof typeof conducts): Promise<object> => {
  const server = await startBrokenServer(conducts[conduct]);
  servers.push(server);
  leadTo("DYNAMODB", server.url);
  const face = await faceOf(connect({ ...usualBounds, reply: 300, attempt: 600, pause: 0 }));
  expect(server.requests).toBe(usualBounds.attempts);
  return face;
};

const injected = async (kind: FaultKind): Promise<object> => {
  const server = await startBrokenServer(answered);
  servers.push(server);
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(localClient(server.url)));
  let made = 0;
  const face = await faceOf(
    faultyDatabase({ client, table: (name) => name }, () => {
      made += 1;
      return kind;
    }),
  );
  expect(made).toBe(usualBounds.attempts);
  return face;
};

test("a time-out that is injected is the one that the service's client throws of a server that says nothing", async () => {
  const [silent, before, after] = await Promise.all([
    real("silent"),
    injected("timeout-before"),
    injected("timeout-after"),
  ]);

  expect(silent).toMatchObject({ name: "TimeoutError", code: "ETIMEDOUT", metadata: { attempts: 3 } });
  expect([before, after]).toEqual([silent, silent]);
});

test("a connection that is reset in the middle of an answer is as the service's client tells of it", async () => {
  const [resetting, inserted] = await Promise.all([real("resetting"), injected("reset")]);

  expect(resetting).toMatchObject({ code: "ECONNRESET", metadata: { attempts: 3, httpStatusCode: 200 } });
  expect(inserted).toEqual(resetting);
});
