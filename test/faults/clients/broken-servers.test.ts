import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { longestCall, usualBounds, type CallBounds } from "../../../lib/aws/call-bounds.ts";
import { isOutage } from "../../../lib/store/failure.ts";
import { connect } from "../../../lib/store/database.ts";
import {
  answered,
  conducts,
  startBrokenServer,
  type BrokenServer,
  type Conduct,
} from "../../support/faults/broken-server.ts";
import { awsCalls, leadTo } from "./every-client.ts";

/** As in production, but for a test. */
const bounds: CallBounds = { ...usualBounds, attempts: 2, connection: 400, reply: 400, attempt: 800, pause: 20 };

/** What a machine may be late that does other things, too. */
const lateness = 4_000;

const servers: BrokenServer[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) await server.close();
});

/** Starts a server that a service's clients are led to. */
const started = async (service: string, conduct: Conduct): Promise<BrokenServer> => {
  const server = await startBrokenServer(conduct);
  servers.push(server);
  leadTo(service, server.url);
  return server;
};

/** What a call ends with, and when. */
const endOf = async (call: Promise<unknown>): Promise<{ readonly error: unknown; readonly milliseconds: number }> => {
  const begun = performance.now();
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, milliseconds: performance.now() - begun };
};

test.each(Object.entries(conducts))(
  "a server that is %s is tried as often as is said by every client, whose call ends in time as an outage",
  async (name, conduct) => {
    const byService = new Map<string, BrokenServer>();
    for (const { service } of awsCalls)
      if (!byService.has(service)) byService.set(service, await started(service, conduct));

    const ends = await Promise.all(
      awsCalls.map(({ service, make }) => endOf(make(bounds, byService.get(service)?.url ?? ""))),
    );

    for (const { error, milliseconds } of ends) {
      expect({ error, outage: isOutage(error) }).toEqual({ error, outage: true });
      expect(error).toMatchObject(name === "resetting" ? { code: "ECONNRESET" } : { name: "TimeoutError" });
      expect(milliseconds).toBeLessThan(longestCall(bounds) + lateness);
      // Where bytes come all the time it is the end of the attempt that ends it, no earlier time-out.
      expect(milliseconds).toBeGreaterThan(name === "dripping" ? 2 * bounds.attempt - 100 : 0);
    }
    for (const [service, { connections, requests }] of byService) {
      const made = bounds.attempts * awsCalls.filter((call) => call.service === service).length;
      expect({ service, connections, requests }).toEqual({ service, connections: made, requests: made });
    }
  },
);

const get = new GetItemCommand({ TableName: "rows", Key: { pk: { S: "p" } } });

test("a connection that died while nobody used it costs one repetition", async () => {
  let died = false;
  const server = await started("DYNAMODB", (socket, made) => {
    // Asked a second time on the same connection, as after a frozen sandbox.
    if (made === 2) died = socket.resetAndDestroy() === socket;
    else answered(socket);
  });
  const { client } = connect(bounds);
  await client.send(get);

  const { $metadata } = await client.send(get);

  expect([died, $metadata.attempts, server.connections, server.requests]).toEqual([true, 2, 2, 3]);
});

test("a connection is used again, but not once it was unused for too long", async () => {
  const server = await started("DYNAMODB", answered);
  const { client } = connect({ ...bounds, idle: 1_000 });
  await client.send(get);
  await client.send(get);
  const before = server.connections;
  await wait(1_100);

  await client.send(get);

  expect([before, server.connections, server.requests]).toEqual([1, 2, 3]);
});

test("twenty calls of a judge worker are under way at a time", async () => {
  const together = Promise.withResolvers<void>();
  const server = await started("DYNAMODB", async (socket, made) => {
    if (made === 20) together.resolve();
    await together.promise;
    answered(socket);
  });
  const { client } = connect(bounds);

  await Promise.all(Array.from({ length: 20 }, () => client.send(get)));

  expect([server.connections, server.requests]).toEqual([20, 20]);
});
