import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { maxCallMilliseconds, defaultBounds, type CallBounds } from "../../../../lib/aws/call-bounds.ts";
import { getHealth } from "../../../../lib/contract/service.ts";
import { isOutage } from "../../../../lib/dynamo/failure.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { openGuard } from "../../../../lib/http/guards/public-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { boundedPost } from "../../../../lib/judge/providers/transport.ts";
import {
  sendEmptyReply,
  brokenBehaviours,
  startBrokenServer,
  type BrokenServer,
  type ServerBehaviour,
} from "../../../support/faults/broken-server.ts";
import { awsCalls, redirectService } from "../../clients/every-client.ts";

/** Production limits with test-sized time-outs in milliseconds. */
const bounds: CallBounds = { ...defaultBounds, attempts: 2, connection: 400, reply: 400, attempt: 800, pause: 20 };

/** Milliseconds by which a busy machine may exceed the call limits. */
const lateness = 4_000;

const servers: BrokenServer[] = [];
afterEach(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) await server.close();
});

/** Starts a server and redirects a service's AWS clients to it. */
const startServer = async (service: string, conduct: ServerBehaviour): Promise<BrokenServer> => {
  const server = await startBrokenServer(conduct);
  servers.push(server);
  redirectService(service, server.url);
  return server;
};

/** Awaits a call. @returns its error, if any, and its duration. */
const endOf = async (call: Promise<unknown>): Promise<{ readonly error: unknown; readonly milliseconds: number }> => {
  const startedAt = performance.now();
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, milliseconds: performance.now() - startedAt };
};

test.each(Object.entries(brokenBehaviours))(
  "every client tries a server that is %s the configured number of times, and the call ends in time as an outage",
  async (name, conduct) => {
    const byService = new Map<string, BrokenServer>();
    for (const { service } of awsCalls)
      if (!byService.has(service)) byService.set(service, await startServer(service, conduct));

    const ends = await Promise.all(
      awsCalls.map(({ service, send: make }) => endOf(make(bounds, byService.get(service)?.url ?? ""))),
    );

    for (const { error, milliseconds } of ends) {
      expect({ error, outage: isOutage(error) }).toEqual({ error, outage: true });
      expect(error).toMatchObject(name === "resetting" ? { code: "ECONNRESET" } : { name: "TimeoutError" });
      expect(milliseconds).toBeLessThan(maxCallMilliseconds(bounds) + lateness);
      // The attempt's time limit ends a call whose bytes keep coming; no earlier time-out applies.
      expect(milliseconds).toBeGreaterThan(name === "dripping" ? 2 * bounds.attempt - 100 : 0);
    }
    for (const [service, { connections, requests }] of byService) {
      const attempts = bounds.attempts * awsCalls.filter((call) => call.service === service).length;
      expect({ service, connections, requests }).toEqual({ service, connections: attempts, requests: attempts });
    }
  },
);

const get = new GetItemCommand({ TableName: "rows", Key: { pk: { S: "p" } } });

test("a request whose calls are all slow is answered in a sentence before the gateway drops it, and calls no more", async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  const server = await startServer("DYNAMODB", (socket) => setTimeout(() => sendEmptyReply(socket), 150));
  const { client } = connect();
  const read = () => client.send(new GetItemCommand({ TableName: "t", Key: { pk: { S: "a" } } }));
  // Four of the five seconds are kept for a cold start and the reply.
  const handler = endpoint({ ...getHealth, timeout: 5 }, openGuard(1_000), async () => {
    for (let calls = 0; calls < 20; calls += 1) await read();
    throw new Error("The request had no deadline.");
  });
  const event = {
    resource: "/health",
    headers: {},
    requestContext: { requestId: "r", path: "/dev/health", domainName: "example.com" },
  };

  const reply = await handler(event as unknown as APIGatewayProxyEvent, {} as Context);
  const sentRequests = server.requests;
  await wait(300);

  const detail = expect.stringMatching(/^The request took too long.+may have been stored.+Idempotency-Key\.$/u);
  const body = expect.toSatisfy((text: string) => {
    expect(JSON.parse(text)).toMatchObject({ code: "unavailable", detail });
    return true;
  });
  expect(reply).toMatchObject({ statusCode: 503, body });
  expect(sentRequests).toBeLessThan(8);
  expect(server.requests).toBe(sentRequests);
  await expect(read()).resolves.toBeDefined();
});

test("an idle connection that has died costs one retry", async () => {
  let died = false;
  const server = await startServer("DYNAMODB", (socket, requests) => {
    // A second request on the same connection, as after a frozen sandbox.
    if (requests === 2) died = socket.resetAndDestroy() === socket;
    else sendEmptyReply(socket);
  });
  const { client } = connect(bounds);
  await client.send(get);

  const { $metadata } = await client.send(get);

  expect([died, $metadata.attempts, server.connections, server.requests]).toEqual([true, 2, 2, 3]);
});

test("a connection is reused until it has been idle for too long", async () => {
  const server = await startServer("DYNAMODB", sendEmptyReply);
  const { client } = connect({ ...bounds, idle: 1_000 });
  await client.send(get);
  await client.send(get);
  const before = server.connections;
  await wait(1_100);

  await client.send(get);

  expect([before, server.connections, server.requests]).toEqual([1, 2, 3]);
});

test("a judge's call does not use a connection that its server may have closed while the sandbox was frozen", async () => {
  // Only the clock moves on: the timers of a frozen sandbox do not.
  vi.useFakeTimers({ toFake: ["Date"] });
  const server = await startBrokenServer((socket, requests) => {
    if (requests <= 2) sendEmptyReply(socket);
    else if (socket === firstSocket) socket.resetAndDestroy();
    else sendEmptyReply(socket);
    firstSocket ??= socket;
  });
  let firstSocket: Socket | undefined;
  servers.push(server);
  const call = () =>
    boundedPost({ url: new URL(server.url), headers: {}, body: "{}", signal: AbortSignal.timeout(lateness) });
  await call();
  await call();
  const before = server.connections;
  vi.setSystemTime(Date.now() + 5_000);

  const reply = await call();

  expect([reply.status, before, server.connections, server.requests]).toEqual([200, 1, 2, 3]);
});

test("a judge worker can have twenty calls in flight", async () => {
  const together = Promise.withResolvers<void>();
  const server = await startServer("DYNAMODB", async (socket, requests) => {
    if (requests === 20) together.resolve();
    await together.promise;
    sendEmptyReply(socket);
  });
  const { client } = connect(bounds);

  await Promise.all(Array.from({ length: 20 }, () => client.send(get)));

  expect([server.connections, server.requests]).toEqual([20, 20]);
});
