import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { Readable } from "node:stream";
import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clientLimit } from "../../../lib/contract/limits.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { getScore } from "../../../lib/contract/scores/score.ts";
import { getSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { getTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace, getSpan, getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { batchGet } from "../../../lib/dynamo/batches.ts";
import { eraseItems } from "../../../lib/dynamo/erase-items.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { newExchange } from "../../../lib/http/exchange.ts";
import { JsonArray } from "../../../lib/http/json-array.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { countRequest, requestBudget, withRequestBudget } from "../../../lib/async/request-budget.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { inTurn } from "../../support/in-turn.ts";

let database: TestDatabase;
/** An organization with a project `first`; the table `bodies` has a partition of 40 KB. */
let organizationId: string;
const pk = randomUUID();

beforeAll(async () => {
  database = await startDatabase();
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  const access = accessStore(database, 10);
  organizationId = await access.createOrganization("Example");
  await access.findOrCreateProject(organizationId, "first");
  const Item = { pk, sk: "large", b: Buffer.alloc(40_000) };
  await database.client.send(new PutCommand({ TableName: "bodies", Item }));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await database.close();
});

const settings = (overrides: Readonly<Record<string, string>>): void => {
  vi.unstubAllEnvs();
  for (const [name, value] of Object.entries({ LIMIT_FACTOR: "1", PROJECT_MAKER: "nobody", ...overrides }))
    vi.stubEnv(name, value);
};

const requestOf = (key_id: string, body: unknown = null) =>
  ({
    body: body === null ? null : JSON.stringify(body),
    multiValueHeaders: { "X-Project-Name": ["first"], "Content-Type": ["application/json"] },
    headers: { "Content-Type": "application/json" },
    resource: "/x",
    requestContext: {
      requestId: randomUUID(),
      path: "/dev/x",
      domainName: "example.com",
      authorizer: { principal: "key", key_id, organization_id: organizationId },
    },
  }) as unknown as APIGatewayProxyEvent;

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Reads 40 KB with strong consistency, which costs 10 read units. */
const readUnits = async (): Promise<void> => {
  await database.client.send(
    new QueryCommand({
      TableName: "bodies",
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
      ConsistentRead: true,
    }),
  );
};

const call = async (handler: unknown, event: APIGatewayProxyEvent): Promise<Answer> =>
  await (handler as (event: APIGatewayProxyEvent, context: Context) => Promise<Answer>)(event, {} as Context);

const page = { items: [], total: 0, limit: 50, offset: 0, next_cursor: null };

const listing = () =>
  endpoint(listTraces, environmentGuard(database), async () => {
    await readUnits();
    return page;
  });

test("a client that has used up its read budget is refused until the minute ends, other clients are not", async () => {
  settings({ READ_UNITS_PER_MINUTE: "30" });
  const [client, otherClient] = [randomUUID(), randomUUID()];
  const handler = listing();

  const replies = await inTurn([1, 2, 3, 4], () => call(handler, requestOf(client)));
  const otherHandlerReply = await call(listing(), requestOf(client));
  const otherReply = await call(handler, requestOf(otherClient));

  expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 429]);
  expect([otherHandlerReply.statusCode, otherReply.statusCode]).toEqual([429, 200]);
  expect(replies[3]?.headers["Retry-After"]).toMatch(/^[1-5]?\d$|^60$/);
  expect(JSON.parse(replies[3]?.body ?? "")).toMatchObject({
    code: "rate_limited",
    detail: "Read budget used up: lists, analytics and traces may read 30 units of DynamoDB per minute and client.",
  });
});

test("lists that a client sends at once reserve read units before they read, whatever function serves them", async () => {
  settings({ READ_UNITS_PER_MINUTE: "30" });
  const client = randomUUID();
  const handlers = Array.from({ length: 8 }, listing);

  const replies = await Promise.all(handlers.map((handler) => call(handler, requestOf(client))));

  expect(replies.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 200, 200, ...Array(5).fill(429)]);
});

test("a trace, its spans and its scores count in the read budget and have a limit", async () => {
  settings({ READ_UNITS_PER_MINUTE: "10" });
  const routes = [getTrace, getSpan, getScore, getTraceScores, getSessionScores];
  const read = async (client: string, route: Route): Promise<void> => {
    const exchange = newExchange(requestOf(client), route);
    await environmentGuard(database).admit(exchange);
    await withRequestBudget(exchange.budget, readUnits);
    await exchange.recordReads();
  };

  for (const route of routes) {
    const client = randomUUID();
    await read(client, route);
    await expect(read(client, route)).rejects.toMatchObject({
      reason: { detail: expect.stringMatching("^Read budget") },
    });
  }
  expect(routes.map(clientLimit)).toEqual(routes.map(() => 3_000));
});

test("reads during a streamed reply are metered, whoever consumes the stream", async () => {
  const budget = requestBudget();
  const scores = async function* () {
    for (let turn = 0; turn < 3; turn += 1) {
      await readUnits();
      yield turn;
    }
  };

  const chunks = await withRequestBudget(budget, () => new JsonArray(scores()).chunks(JSON.stringify));

  expect(await text(Readable.from(chunks))).toBe("[0,1,2]");
  expect(budget.spent).toMatchObject({ readUnits: 30, lookups: 3 });
});

test("what batches and transactions read and write is metered as other requests are", async () => {
  const budget = requestBudget();
  const keys = Array.from({ length: 4 }, (_, at) => ({ pk: randomUUID(), sk: String(at) }));

  await withRequestBudget(budget, async () => {
    // Of one item each: DynamoDB Local reports the units of a transaction's last item alone.
    for (const put of keys) await itemsOf(database, "monitors").transact([{ put }]);
    await batchGet(database, "monitors", keys);
    await eraseItems(database, "monitors", keys);
  });

  expect(budget.spent).toMatchObject({ readUnits: 4, writeUnits: 8 + 4, lookups: 6 });
});

test("a request that needs more than the budget of its route is refused, and sends no request beyond it", async () => {
  settings({});
  let reads = 0;
  const handler = endpoint({ ...listTraces, budget: { lookups: 2 } }, environmentGuard(database), async () => {
    for (; reads < 5; reads += 1) await readUnits();
    return page;
  });

  const reply = await call(handler, requestOf(randomUUID()));

  expect(reply).toMatchObject({ statusCode: 413 });
  expect(reply.body).toContain("more than 2 requests to the database");
  expect(reads).toBe(2);
});

test("a request calls no model when its route has no budget for it", async () => {
  settings({});
  const handler = endpoint(listTraces, environmentGuard(database), async () => {
    countRequest("providerCalls");
    return page;
  });

  expect(await call(handler, requestOf(randomUUID()))).toMatchObject({ statusCode: 413 });
});

test("all keys of an organization share one rate limit, and its refusal names the organization", async () => {
  settings({ ORGANIZATION_LIMIT: "3" });
  const handler = listing();

  const replies = await inTurn([1, 2, 3, 4], () => call(handler, requestOf(randomUUID())));

  expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 429]);
  expect(replies[0]?.headers["RateLimit-Policy"]).toBe('"client";q=600;w=60, "organization";q=3;w=60');
  expect(replies[3]?.headers["RateLimit"]).toMatch(/^"client";r=599;t=\d+, "organization";r=0;t=\d+$/);
  expect(JSON.parse(replies[3]?.body ?? "")).toMatchObject({
    detail: "Rate limit of the organization exceeded: 3 per minute.",
  });
});

test("the organization's limit and the read budget apply to a user who selects a project by name or by id", async () => {
  const access = accessStore(database, 10);
  const userId = randomUUID();
  const organization = await access.createOrganization("Example");
  await access.addMember(organization, userId, "MEMBER");
  const { id } = await access.findOrCreateProject(organization, "first");
  const callAsUser = async (handler: unknown, headers: object): Promise<Answer> => {
    const event = requestOf(randomUUID());
    const requestContext = { ...event.requestContext, authorizer: { principal: "user", user_id: userId } };
    return call(handler, { ...event, multiValueHeaders: headers, requestContext } as unknown as APIGatewayProxyEvent);
  };
  const [byName, byId] = [{ "X-Project-Name": ["first"] }, { "X-Project-ID": [id] }];
  settings({ ORGANIZATION_LIMIT: "2" });
  const bounded = listing();
  const ceiling = await inTurn([byName, byId, byName], (headers) => callAsUser(bounded, headers));
  // The two lists above have read 20 units.
  settings({ READ_UNITS_PER_MINUTE: "30" });
  const metered = listing();
  const budget = await inTurn([byName, byName], (headers) => callAsUser(metered, headers));

  expect(ceiling.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429]);
  expect(budget.map(({ statusCode }) => statusCode)).toEqual([200, 429]);
});

test.each([
  [{}, '"client";q=100;w=60', '"client";q=600;w=60, "organization";q=6000;w=60'],
  [
    { ORGANIZATION_LIMIT_FACTOR: "2", LIMIT_FACTOR: "3" },
    '"client";q=300;w=60',
    '"client";q=1800;w=60, "organization";q=3600;w=60',
  ],
  [{ ORGANIZATION_LIMIT_FACTOR: "0" }, '"client";q=100;w=60', '"client";q=600;w=60'],
])(
  "the organization's limit is ten times the client's by default, and does not apply to ingestion: %o",
  async (overrides, expectedCreation, expectedList) => {
    settings(overrides);
    const creation = endpoint(createTrace, environmentGuard(database), async () => ({
      trace_id: randomUUID(),
      task_id: randomUUID(),
    }));

    const creationReply = await call(creation, requestOf(randomUUID(), { name: "x", started_at: "2026-10-01" }));
    const listReply = await call(listing(), requestOf(randomUUID()));

    expect([creationReply, listReply].map(({ headers }) => headers["RateLimit-Policy"])).toEqual([
      expectedCreation,
      expectedList,
    ]);
  },
);
