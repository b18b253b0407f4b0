import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { deployedPatience } from "../../../infra/verify/patience.ts";
import type { Scene } from "../../../infra/verify/question.ts";
import { issuersSayTheSame } from "../../../infra/verify/questions/issuers.ts";
import { alarmArrives } from "../../../infra/verify/questions/test-alarm.ts";
import { newSigningKey, publicJwk, startWatchedServer } from "../../support/service/tokens.ts";

const scene = { patience: { ...deployedPatience, look: 1 }, wait: async () => undefined } as unknown as Scene;

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

  test("hold when they call themselves and their keys as the settings do", async () => {
    expect(await issuersSayTheSame([{ issuer: `${server.url}/`, jwksUri: `${server.url}/keys` }]).ask(scene)).toEqual({
      verdict: "holds",
      seen: `${server.url}/`,
    });
  });

  test("do not hold without the final slash that the issuer's tokens have, and both spellings are told", async () => {
    const { verdict, seen } = await issuersSayTheSame([{ issuer: server.url, jwksUri: `${server.url}/keys` }]).ask(
      scene,
    );

    expect(verdict).toBe("does not hold");
    expect(seen).toBe(`the setting issuer is ${server.url}, and the issuer calls itself ${server.url}/`);
  });

  test("do not hold when their keys are elsewhere, none at all, or nobody answers", async () => {
    const asked = async (issuer: string, jwksUri: string) => issuersSayTheSame([{ issuer, jwksUri }]).ask(scene);

    expect((await asked(`${server.url}/`, `${server.url}/empty`)).seen).toMatch(
      /the issuer's keys are at .*\/keys; .*\/empty has no public key with an id/u,
    );
    expect(await asked(`${server.url}/realm`, `${server.url}/keys`)).toMatchObject({
      verdict: "does not hold",
      seen: expect.stringContaining("answers 404"),
    });
  });

  test("are not asked where there are none", async () => {
    expect(await issuersSayTheSame([]).ask(scene)).toMatchObject({ verdict: "could not be asked" });
  });
});

describe("an alarm that is raised", () => {
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

  /** An AWS CLI whose CloudWatch has these alarms, and after one was raised this in its history. */
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
  const ask = () => alarmArrives("assay-prod", () => Date.parse("2026-11-21T09:00:00Z")).ask(scene);

  test("holds when CloudWatch has told it, one that is quiet and has an action", async () => {
    standIn([alarm("a", "ALARM"), alarm("b", "OK", []), alarm("c", "OK")], "Successfully executed action arn:aws:sns");

    expect(await ask()).toMatchObject({ verdict: "holds", seen: expect.stringContaining("c;") });
    expect(readFileSync(join(directory, "calls.txt"), "utf8")).toContain(
      "set-alarm-state --alarm-name c --state-value ALARM",
    );
  });

  test.each([
    ["its action fails", [alarm("c", "OK")], "Failed to execute action arn:aws:sns", "Failed to execute action"],
    ["nobody is told", [alarm("c", "OK")], null, "CloudWatch has told nobody"],
    ["none has an action", [alarm("c", "OK", [])], null, "set alarmEmail or alarmTopicArn"],
  ])("does not hold when %s", async (_, alarms, summary, seen) => {
    standIn(alarms, summary);

    expect(await ask()).toMatchObject({ verdict: "does not hold", seen: expect.stringContaining(seen) });
  });

  test("is not raised where there is no AWS CLI", async () => {
    process.env["PATH"] = directory;

    expect(await ask()).toMatchObject({ verdict: "could not be asked" });
  });
});
