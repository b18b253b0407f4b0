import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { deployedTimeouts } from "../../../../infra/verify/timeouts.ts";
import type { CheckContext } from "../../../../infra/verify/check.ts";
import { issuersMatchSettings } from "../../../../infra/verify/questions/issuers.ts";
import { alarmIsSent } from "../../../../infra/verify/questions/test-alarm.ts";
import { newSigningKey, publicJwk, startWatchedServer } from "../../../support/service/tokens.ts";

const scene = { timeouts: deployedTimeouts, wait: async () => undefined } as unknown as CheckContext;

describe("the issuers of bearer tokens", async () => {
  const server = await startWatchedServer((request, response) => {
    const { url = "" } = request;
    const documents: Readonly<Record<string, unknown>> = {
      "/.well-known/openid-configuration": { issuer: `${server.url}/`, jwks_uri: `${server.url}/keys` },
      "/keys": { keys: [publicJwk(newSigningKey("RS256"))] },
      "/empty": { keys: [] },
    };
    response.writeHead(url in documents ? 200 : 404).end(JSON.stringify(documents[url]));
  });
  afterAll(server.close);

  test("pass when the issuer documents have the same issuer and key URL as the settings", async () => {
    expect(
      await issuersMatchSettings([{ issuer: `${server.url}/`, jwksUri: `${server.url}/keys` }]).run(scene),
    ).toEqual({
      verdict: "passed",
      details: `${server.url}/`,
    });
  });

  test("fail without the trailing slash of the tokens' issuer, and both spellings are reported", async () => {
    const { verdict, details } = await issuersMatchSettings([
      { issuer: server.url, jwksUri: `${server.url}/keys` },
    ]).run(scene);

    expect(verdict).toBe("failed");
    expect(details).toBe(`the setting issuer is ${server.url}, but the discovery document has ${server.url}/`);
  });

  test("fail when the keys are elsewhere, missing, or unreachable", async () => {
    const askIssuer = async (issuer: string, jwksUri: string) => issuersMatchSettings([{ issuer, jwksUri }]).run(scene);

    expect((await askIssuer(`${server.url}/`, `${server.url}/empty`)).details).toMatch(
      /the issuer's keys are at .*\/keys; .*\/empty has no public key with an id/u,
    );
    expect(await askIssuer(`${server.url}/realm`, `${server.url}/keys`)).toMatchObject({
      verdict: "failed",
      details: expect.stringContaining("answers 404"),
    });
  });

  test("are skipped where there are none", async () => {
    expect(await issuersMatchSettings([]).run(scene)).toMatchObject({ verdict: "skipped" });
  });
});

describe("the test alarm", () => {
  let directory: string;
  const path = process.env["PATH"];
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "assay-alarm-"));
    process.env["PATH"] = `${directory}:${path}`;
  });
  afterEach(() => {
    process.env["PATH"] = path;
    rmSync(directory, { recursive: true });
  });

  /** Installs an AWS CLI whose CloudWatch has these alarms, and after a test alarm this entry in its history. */
  const standIn = (alarms: unknown, summary: string | null): void => {
    const item = summary === null ? [] : [{ Timestamp: "2026-11-21T09:00:00Z", HistorySummary: summary }];
    writeFileSync(join(directory, "alarms.json"), JSON.stringify({ MetricAlarms: alarms }));
    writeFileSync(join(directory, "history.json"), JSON.stringify({ AlarmHistoryItems: item }));
    const script = `#!/bin/sh\necho "$@" >> ${directory}/calls.txt\ncase "$2" in\n  describe-alarms) cat ${directory}/alarms.json ;;\n  describe-alarm-history) cat ${directory}/history.json ;;\nesac\n`;
    writeFileSync(join(directory, "aws"), script);
    chmodSync(join(directory, "aws"), 0o755);
  };
  const alarm = (name: string, state: string, actions: readonly string[] = ["arn:aws:sns:eu-central-1:1:t"]) => ({
    AlarmName: name,
    StateValue: state,
    AlarmActions: actions,
  });
  const ask = () => alarmIsSent("assay-prod", () => Date.parse("2026-11-21T09:00:00Z")).run(scene);

  test("passes when CloudWatch has notified about it: an alarm that is quiet and has an action", async () => {
    standIn([alarm("a", "ALARM"), alarm("b", "OK", []), alarm("c", "OK")], "Successfully executed action arn:aws:sns");

    expect(await ask()).toMatchObject({ verdict: "passed", details: expect.stringContaining("c;") });
    expect(readFileSync(join(directory, "calls.txt"), "utf8")).toContain(
      "set-alarm-state --alarm-name c --state-value ALARM",
    );
  });

  test.each([
    ["its action fails", [alarm("c", "OK")], "Failed to execute action arn:aws:sns", "Failed to execute action"],
    ["nobody is told", [alarm("c", "OK")], null, "CloudWatch has sent no notification"],
    ["none has an action", [alarm("c", "OK", [])], null, "set alarmEmail or alarmTopicArn"],
  ])("fails when %s", async (_, alarms, summary, details) => {
    standIn(alarms, summary);

    expect(await ask()).toMatchObject({ verdict: "failed", details: expect.stringContaining(details) });
  });

  test("is skipped where there is no AWS CLI", async () => {
    process.env["PATH"] = directory;

    expect(await ask()).toMatchObject({ verdict: "skipped" });
  });
});
