import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { expect, test } from "vitest";
import { commandOf } from "../../../infra/local/host/process-register.ts";
import { issuerName, localAudience } from "../../../infra/local/issuer.ts";
import { deleteLocalData } from "../../../infra/local/local-data.ts";
import { startLocal } from "../../../infra/local/local-stack.ts";
import { eventually, startFixture, temporaryDirectory } from "../../support/service/local-fixture.ts";

const readJson = (directory: string, name: string): unknown => JSON.parse(readFileSync(join(directory, name), "utf8"));

const startedIn = (directory: string): readonly number[] =>
  (readJson(directory, "pids.json") as { started: { pid: number }[] }).started.map(({ pid }) => pid);

/** Source of a process that starts an empty stack in the given directory and waits to be killed. */
const abandoned = `
  import { startLocal } from ${JSON.stringify(join(import.meta.dirname, "../../../infra/local/local-stack.ts"))};
  const Api = { Type: "AWS::ApiGateway::RestApi", Properties: { Body: { paths: {} } } };
  await startLocal({ directory: process.argv[2], port: 0,
    synthesize: async () => ({ template: { Resources: { Api } }, assets: new Map() }),
    bootstrap: async () => ({ organizationId: "o", projectId: "p", projectName: "default", apiKey: "k", userId: "u" }) });
  console.log("ready");`;

test("ready.json holds the service's address and credentials for as long as the service runs", async () => {
  const directory = temporaryDirectory();
  const stack = await startFixture({}, directory);
  const ready = join(directory, "ready.json");

  const readyMessage = readJson(directory, "ready.json");
  const mode = statSync(ready).mode & 0o777;
  await stack.close();

  expect(readyMessage).toMatchObject({
    base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    api_key: "k",
    project_name: "default",
    project_id: "p",
    organization_id: "o",
    bearer_token: stack.bearerToken,
    dynamodb_url: stack.endpoints.DYNAMODB,
    tables: {},
  });
  expect(mode).toBe(0o600);
  expect(existsSync(ready)).toBe(false);
});

test("a restart keeps the port and the issuer's key", async () => {
  const stack = await startFixture({});
  const { baseUrl, bearerToken } = stack;

  await stack.restart();

  const keys = createRemoteJWKSet(new URL(stack.issuer.jwksUri));
  const { payload } = await jwtVerify(bearerToken, keys, { issuer: issuerName, audience: localAudience });
  expect(stack.baseUrl).toBe(baseUrl);
  expect(payload).toMatchObject({ sub: "u", email: "developer@localhost" });
});

test("a port in use is refused with one clear sentence, and no process stays behind", async () => {
  const { baseUrl } = await startFixture({});
  const directory = temporaryDirectory();
  const port = Number(new URL(baseUrl).port);

  const second = startLocal({ directory, port });

  await expect(second).rejects.toThrow(`Port ${port} is in use.`);
  expect(startedIn(directory)).toEqual([]);
});

test("a directory in use is refused; a killed run takes its database with it", async () => {
  const directory = temporaryDirectory();
  const program = join(directory, "abandoned.ts");
  writeFileSync(program, abandoned);
  const first = spawn(process.execPath, [program, directory], { stdio: ["ignore", "pipe", "inherit"] });
  await once(first.stdout, "data");
  const [database] = startedIn(directory);
  expect(commandOf(database ?? 0)).toMatch(/dynoxide|LoopbackDynamoDb/);

  await expect(startFixture({}, directory)).rejects.toThrow("already running");
  expect(() => deleteLocalData(directory)).toThrow("already running");
  first.kill("SIGKILL");
  await once(first, "exit");
  await eventually(() => (commandOf(database ?? 0) ? undefined : true));

  const { endpoints } = await startFixture({}, directory);
  expect(endpoints.DYNAMODB).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test("deleting the local data keeps foreign files and the builds", async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "builds"));
  const stack = await startFixture({ functions: { Own: { code: "" } } }, directory);
  await stack.close();

  deleteLocalData(directory);

  expect(
    ["bundles", "builds", "dynamodb.sqlite", "lambda-runtime", "pids.json"].map((name) =>
      existsSync(join(directory, name)),
    ),
  ).toEqual([true, true, false, false, false]);
});

test("no server listens on another address than this machine's loopback", async () => {
  const { baseUrl, endpoints, issuer } = await startFixture({});
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4");
  const ports = [baseUrl, issuer.url, ...Object.values(endpoints)].map((url) => Number(new URL(url).port));
  const isRefused = (host: string, port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, host);
      socket.once("connect", () => resolve(false));
      socket.once("error", () => resolve(true));
    });

  const answers = await Promise.all(outside.flatMap(({ address }) => ports.map((port) => isRefused(address, port))));

  expect(answers).not.toContain(false);
});
