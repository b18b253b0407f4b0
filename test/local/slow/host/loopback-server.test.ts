import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { freePort, listenOnLoopback, type Endpoint } from "../../../../infra/local/host/loopback-server.ts";
import { startFixture } from "../../../support/service/local-fixture.ts";

/** First port that an operating system gives to outgoing connections: Linux has the lowest. */
const firstOutgoing = 32_768;

const portOf = (url: string): number => Number(new URL(url).port);

const closedAfterTest = (endpoint: Endpoint): Endpoint => {
  onTestFinished(() => endpoint.close());
  return endpoint;
};

test("no outgoing connection takes the port of the API or of a database before it is used again", async () => {
  const { baseUrl, endpoints } = await startFixture({});

  const ports = [portOf(baseUrl), portOf(endpoints.DYNAMODB), await freePort()];

  expect(ports.filter((port) => port >= firstOutgoing)).toEqual([]);
});

test("a port in use is passed over", async () => {
  const first = closedAfterTest(await listenOnLoopback(createServer()));
  const free = await freePort();
  const ports = [portOf(first.url), free];

  const second = closedAfterTest(await listenOnLoopback(createServer(), 0, () => ports.shift() ?? 0));

  expect(portOf(second.url)).toBe(free);
});

test("no server takes a port that was found for a program, which may take long to listen", async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  const servers = await Promise.all(Array.from({ length: 20 }, () => listenOnLoopback(createServer())));
  servers.forEach(closedAfterTest);

  expect(Math.min(...ports)).toBeGreaterThan(Math.max(...servers.map(({ url }) => portOf(url))));
});
