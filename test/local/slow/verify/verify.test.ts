import packageFile from "../../../../package.json" with { type: "json" };
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { allChecks } from "../../../../infra/verify/all-checks.ts";
import { bearerToken } from "../../../../infra/verify/questions/bearer-token.ts";
import { defaultJudge } from "../../../../infra/verify/questions/default-judge.ts";
import { malformedBody } from "../../../../infra/verify/questions/malformed-body.ts";
import { rateLimit } from "../../../../infra/verify/questions/rate-limit.ts";
import { storedTrace } from "../../../../infra/verify/questions/stored-trace.ts";
import { lateSpan } from "../../../../infra/verify/questions/late-span.ts";
import { listDeletions } from "../../../../lib/contract/access/deletions.ts";
import { listProjects } from "../../../../lib/contract/access/projects.ts";
import { listMonitors } from "../../../../lib/contract/monitors/monitors.ts";
import { listTraceRuns } from "../../../../lib/contract/runs/trace-runs.ts";
import { listTraces } from "../../../../lib/contract/traces/traces.ts";
import { deletionEraser } from "../../../../lib/deletion/erase-deleted.ts";
import { storageScan } from "../../../../lib/deletion/scan-storage.ts";
import { proofMilliseconds } from "../../../../lib/domain/access/deletion.ts";
import { hashApiKey } from "../../../../lib/domain/access/identity.ts";
import { instantAt } from "../../../../lib/domain/instant.ts";
import { apiKeyStore } from "../../../../lib/store/access/api-keys.ts";
import { itemsNaming } from "../../../support/database/items-naming.ts";
import { type Change, startBreakingProxy } from "../../../support/service/breaking-proxy.ts";
import { clientWith } from "../../../support/service/client.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { databaseOf } from "../../../support/service/service-database.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";
import { sample } from "../../../support/sample.ts";
import { askQuestions, only, startCommand } from "./verification.ts";
import { breakages } from "./breakages.ts";

let service: RunningService;
/** Milliseconds that the Scheduler's clock is ahead. */
let ahead = 0;

beforeAll(async () => {
  service = await startService({ limitFactor: 1, schedulerClock: () => Date.now() + ahead });
});
afterAll(() => service.close());

/** A deployment with one change. */
const changed = async (change: Change, begin?: () => Promise<void>): Promise<string> => {
  const { url, close } = await startBreakingProxy(service.baseUrl, change, begin);
  onTestFinished(close);
  return url;
};

const owner = () => clientWith(service, { Authorization: `Bearer ${service.tenant.bearerToken}` });
const organization = () => ({ org_id: service.stack.credentials.organizationId });

/** Contents of a project, read with its API key. */
const contents = async (projectName: string) => {
  const client = clientWith(service, { "X-API-Key": service.tenant.apiKey, "X-Project-Name": projectName });
  const lists = [
    await client.answer(listTraces),
    await client.answer(listTraceRuns),
    await client.answer(listMonitors),
  ];
  return lists.map(({ items }) => items.length);
};

const projectIn = (lines: readonly string[]): string => /verify-[0-9a-f]{8}/u.exec(lines.join("\n"))?.[0] ?? "";

const minute = 60_000;

/**
 * Runs the sweeper for a deleted project, 16 minutes later each time, until none of its items is left.
 * @returns stored texts of the items that still name the project, except the receipt and the audit of its deletion.
 */
const swept = async (project: string): Promise<readonly string[]> => {
  const database = databaseOf(service);
  const itemsLeft = async () => (await itemsNaming(database, [project])).filter(({ table }) => table !== "access");
  for (let attempt = 0; attempt < 8 && (await itemsLeft()).length > 0; attempt += 1) {
    const now = () => Date.now() + attempt * (proofMilliseconds + 1000);
    await storageScan(database, now)(60_000);
    await deletionEraser(database, { remove: async () => undefined }, now)(60_000);
  }
  return (await itemsLeft()).map(({ text: item }) => item);
};

/** Makes the tenant's gateway key old enough to be used, once it exists. */
const ageGatewayKey = async (): Promise<void> => {
  const database = databaseOf(service);
  const id = (await apiKeyStore(database).find(hashApiKey(service.tenant.apiKey)))?.id;
  const aging = new UpdateCommand({
    TableName: database.table("access"),
    Key: { pk: `client#key#${id}`, sk: "gateway-key" },
    UpdateExpression: "SET created_at = :before",
    ConditionExpression: "attribute_exists(created_at)",
    ExpressionAttributeValues: { ":before": instantAt(Date.now() - 2 * minute) },
  });
  await eventually(() => database.client.send(aging).catch(() => undefined));
};

/**
 * A deployment without waits of minutes: the Scheduler's clock advances by a minute when a monitor is created and when it is paused,
 * and the authorizer's cache of keys ends with its sandboxes when a key is revoked, while no other request is running.
 */
const hurried = async (): Promise<string> => {
  let [underWay, open] = [0, Promise.resolve()];
  const forgetKeys = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    open = promise;
    await eventually(() => (underWay === 1 ? true : undefined));
    expect(service.stack.functions.kill("Authorizer")).toBeGreaterThan(0);
    resolve();
  };
  const begin = async (): Promise<void> => {
    await open;
    underWay += 1;
  };
  const change: Change = async ({ method, path }, reply) => {
    if (method === "POST" && /\/monitors$|\/pause$/u.test(path)) ahead += minute;
    if (method === "DELETE" && path.includes("/api-keys/")) await forgetKeys();
    underWay -= 1;
    return reply;
  };
  return changed(change, begin);
};

test("a sound deployment passes, and nothing of the project is left", async () => {
  await ageGatewayKey();
  const outcome = await askQuestions(await hurried(), service.tenant, {
    plan: allChecks,
    withToken: true,
    timeouts: { quiet: 2_500, newKey: 2_000 },
  });
  const name = projectIn(outcome.lines);
  const { items } = await owner().page(listProjects, { params: organization() });
  const receipts = (await owner().answer(listDeletions, { params: organization() })).items;
  const id = receipts.find((receipt) => receipt.name === name)?.id ?? "";

  expect(outcome.findings.filter(({ verdict }) => verdict === "failed")).toEqual([]);
  expect(outcome.findings.filter(({ verdict }) => verdict !== "passed").map(({ details }) => details)).toEqual([
    "the URL is not https",
  ]);
  expect([outcome.status, outcome.endReason]).toEqual([0, null]);
  expect(items.map((project) => project.name)).not.toContain(name);
  expect(await swept(id)).toEqual([]);
});

test("without a token the project is emptied and named", async () => {
  const outcome = await askQuestions(service.baseUrl, service.tenant, { plan: only(defaultJudge, bearerToken) });
  const name = projectIn(outcome.lines);

  expect(outcome.findings.map(({ verdict, details }) => `${verdict}: ${details}`).slice(2)).toEqual([
    "skipped: no --token is set",
    "passed: 3 traces, 1 run, 0 monitors deleted, nothing remains",
    `skipped: no --token is set: the empty project ${name} remains`,
  ]);
  expect(outcome.status).toBe(0);
  expect(await contents(name)).toEqual([0, 0, 0]);
});

test("with a token of another user the project stays, and the report says so", async () => {
  const tenant = { ...service.tenant, bearerToken: service.stranger.bearerToken };
  const { findings, status } = await askQuestions(service.baseUrl, tenant, {
    plan: only(bearerToken),
    withToken: true,
  });

  expect(findings.at(-1)?.details).toMatch(
    /^the token's user is not in the key's organization: the empty project verify-/u,
  );
  expect(status).toBe(0);
});

test("a refused key ends the verification at once, and a silent deployment ends it in time", async () => {
  const tenant = { ...service.tenant, apiKey: `sk_as_${"0".repeat(64)}` };
  const silent = await changed(() => new Promise(() => undefined));

  const refusedOutcome = await askQuestions(service.baseUrl, tenant, { plan: allChecks });
  const silentOutcome = await askQuestions(silent, service.tenant, { plan: allChecks, timeouts: { request: 200 } });

  expect(refusedOutcome.findings.map(({ details }) => details)).toEqual([
    expect.stringMatching(
      /^GET \/evaluations\/trace-metrics answered 401 \{"detail":"Invalid or revoked API key.",.*\} instead of 200$/u,
    ),
  ]);
  expect(silentOutcome.findings.map(({ details }) => details)).toEqual([
    "GET /evaluations/trace-metrics: no complete reply within 0.2 s",
  ]);
  expect([refusedOutcome.status, silentOutcome.status]).toEqual([1, 1]);
});

test("when time is up the remaining checks are skipped, and stored data is deleted", async () => {
  const slow = await changed(async ({ path }, reply) => {
    if (path.endsWith("/spans")) await new Promise((resolve) => void setTimeout(resolve, 600));
    return reply;
  });

  const plan = { lanes: [[lateSpan, defaultJudge]], last: [] };
  const outcome = await askQuestions(slow, service.tenant, { plan, timeouts: { total: 500 } });

  expect(outcome.findings.map(({ verdict, details }) => `${verdict}: ${details}`).slice(1, 4)).toEqual([
    "skipped: out of time",
    "skipped: out of time",
    expect.stringMatching(/^passed: \d traces?, 0 runs, 0 monitors deleted, nothing remains$/u),
  ]);
  expect(await contents(projectIn(outcome.lines))).toEqual([0, 0, 0]);
  expect([outcome.status, outcome.endReason]).toEqual([1, "out of time"]);
});

test("the command cleans up after Ctrl-C, and prints no secret", async () => {
  const { apiKey, bearerToken: token } = service.tenant;
  const { child, output } = startCommand("--url", `${service.baseUrl}/`, "--key", apiKey);
  let before = "";
  child.stderr.on("data", (chunk: Buffer) => (before += chunk.toString()));
  await eventually(() => (before.includes("A run with the default judge") ? true : undefined));

  child.kill("SIGINT");
  const [status] = (await once(child, "exit")) as [number];
  const [printed, progress] = await output;

  expect(status).toBe(130);
  const build = `Assay ${packageFile.version}, commit \\w+(?:-dirty)?\\.`;
  expect(printed.split("\n")[0]).toMatch(new RegExp(`^Deployed: ${build} This checkout: ${build}$`, "u"));
  expect(printed).toContain("Ended early: interrupted.");
  expect(printed).toMatch(/[1-9]\d* traces, \d+ runs?, \d monitors? deleted, /u);
  expect(await contents(projectIn([progress]))).toEqual([0, 0, 0]);
  for (const secret of [apiKey, token]) expect(printed + progress).not.toContain(secret);
});

describe("a deployment with", () => {
  test.each(sample("breakages", breakages))(
    "$broken fails",
    async ({ question, last, expectedText, change, timeouts, withToken = false }) => {
      const plan = last === undefined ? only(question) : only(question, last);
      const options = { plan, withToken, ...(timeouts === undefined ? {} : { timeouts }) };
      const outcome = await askQuestions(await changed(change()), service.tenant, options);
      const failures = outcome.findings.filter(({ verdict }) => verdict === "failed");

      expect(failures).toMatchObject([
        { title: (last ?? question).title, details: expect.stringMatching(expectedText) as string },
      ]);
      expect(outcome.status).toBe(1);
    },
  );
});

/** A service whose limits are multiplied by a factor. */
const withFactor = async (limitFactor: number): Promise<RunningService> => {
  const limited = await startService({ limitFactor });
  onTestFinished(() => limited.close());
  return limited;
};

test("where limits are low, requests wait for the next minute, and the limit itself is counted", async () => {
  const low = await withFactor(0.02);
  const { findings } = await askQuestions(low.baseUrl, low.tenant, {
    plan: { lanes: [[storedTrace, malformedBody], [rateLimit]], last: [] },
  });

  expect(findings.filter(({ verdict }) => verdict === "failed")).toEqual([]);
  expect(findings.find(({ title }) => title === rateLimit.title)?.details).toMatch(
    /^[01] of 15 concurrent requests accepted, \d+ refused by the usage plan, then 429 with/u,
  );
}, 300_000);

test("a limit that is too high to be used up is counted request by request, and one that counts none fails", async () => {
  const high = await withFactor(300);
  const counted = await askQuestions(high.baseUrl, high.tenant, { plan: only(rateLimit) });
  const { url, close } = await startBreakingProxy(high.baseUrl, async (_, reply) => ({
    ...reply,
    headers: { ...reply.headers, ratelimit: '"client";r=2999;t=1' },
  }));
  onTestFinished(close);
  const broken = await askQuestions(url, high.tenant, { plan: only(rateLimit) });

  expect(counted.findings[1]).toMatchObject({ verdict: "passed", details: expect.stringContaining("limit, 3000 per") });
  expect(broken.findings[1]).toMatchObject({
    verdict: "failed",
    details: "300 requests left 1 different numbers of requests",
  });
}, 120_000);
