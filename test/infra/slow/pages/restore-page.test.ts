import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { readSettings } from "../../../../infra/settings/settings.ts";
import { tableNames, tables, type TableDefinition } from "../../../../lib/dynamo/table.ts";
import { synthesize, temporaryDirectory } from "../../synthesize.ts";

const page = readFileSync(new URL("../../../../infra/restore.md", import.meta.url), "utf8");

/** Shell commands of the page, in its order. */
const commands = [...page.matchAll(/^```sh\n(.*?)^```$/gmsu)].map(([, text = ""]) => text);

const suffix = "20261121T021000Z";
const restoredName = (name: string): string => `assay-prod-${name}-${suffix}`;
const madeName = (logicalId: string): string => `assay-prod-${logicalId}-1ABCDEF`;
const streamed = tableNames.filter((name) => {
  const { stream }: TableDefinition = tables[name];
  return stream === true;
});

/** Requests a second of the stage before the restore, and the burst, as the AWS CLI prints them. */
const stageLimit = "750.0\t1500\n";

/** Output of each command. */
let printed: string[];
/** Calls of the AWS CLI, as lists of words. */
let calls: string[][];
/** Logical ids of the tables that are restored. */
let logicalIds: string[];
let directory: string;
beforeAll(() => {
  directory = temporaryDirectory();
  const { template } = synthesize({ stage: "prod" });
  const tableIds = Object.keys(template.findResources("AWS::DynamoDB::Table"));
  logicalIds = tableIds.filter((id) => !id.startsWith("Datalimits"));
  const resources = tableIds.map((id) => `${id}\t${madeName(id)}\n`);
  writeFileSync(join(directory, "resources.txt"), resources.join(""));
  const streams = logicalIds.filter((id) => streamed.some((name) => id.startsWith(`Data${name}`)));
  writeFileSync(join(directory, "streams.txt"), streams.map((id) => `${madeName(id)}\n`).join(""));
  writeFileSync(join(directory, "stage.txt"), stageLimit);
  copyFileSync(join(import.meta.dirname, "aws-stand-in.sh"), join(directory, "aws"));
  const isHold = (command: string): boolean => command.includes("throttling/rateLimit,value=0");
  // Every step may be repeated; this one changes what it has read.
  const steps = commands.flatMap((command) => (isHold(command) ? [command, command] : [command]));
  const script = steps.join("\nprintf '\\f'\n");
  const output = execFileSync("bash", ["--norc", "-euo", "pipefail", "-c", script], {
    cwd: directory,
    env: { PATH: `${directory}:${process.env["PATH"]}` },
    encoding: "utf8",
  });
  printed = output.split("\f");
  calls = readFileSync(join(directory, "calls.txt"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\u001F").slice(0, -1));
});

/** Tables for which a call was made, in the order of the calls. */
const callsOf = (...words: readonly string[]): string[] =>
  calls
    .filter((call) => words.every((word) => call.includes(word)))
    .map((call) => call[call.findIndex((word) => /^--(?:target-)?table-name$/u.test(word)) + 1] ?? "");

/** Tables with point-in-time recovery: all but the counters of rate limits, which expire within minutes. */
const recoverable = tableNames.filter((name) => name !== "limits");
const every = recoverable.map(restoredName).toSorted();

test("every table except the counters of rate limits is restored from the stack's own, to the same instant", () => {
  const restores = calls.filter(([, name]) => name === "restore-table-to-point-in-time");
  const value = (call: readonly string[], option: string) => call[call.indexOf(option) + 1];

  expect(restores.map((call) => value(call, "--target-table-name")).toSorted()).toEqual(every);
  expect(restores.map((call) => value(call, "--source-table-name"))).toEqual(logicalIds.map(madeName));
  expect(new Set(restores.map((call) => value(call, "--restore-date-time")))).toEqual(
    new Set(["2026-11-21T02:10:00Z"]),
  );
});

test("table features that a restore leaves out are switched on as in the stack", () => {
  const expiry = new Set(tableNames.map((name) => tables[name].ttl));

  expect(callsOf("update-table", "StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES").toSorted()).toEqual(
    streamed.map(restoredName).toSorted(),
  );
  expect(expiry).toEqual(new Set(["ttl"]));
  expect(callsOf("update-time-to-live", "Enabled=true,AttributeName=ttl").toSorted()).toEqual(every);
  expect(callsOf("update-continuous-backups", "PointInTimeRecoveryEnabled=true").toSorted()).toEqual(every);
  expect(callsOf("update-table", "--deletion-protection-enabled").toSorted()).toEqual(every);
  expect(
    calls
      .filter((call) => call.includes("tag-resource"))
      .map((call) => call.slice(2))
      .toSorted(),
  ).toEqual(
    every.map((name) => [
      "--tags",
      "Key=service,Value=assay",
      "Key=stage,Value=prod",
      "--resource-arn",
      `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}`,
    ]),
  );
});

test("all streams are on before any item may expire", () => {
  const last = calls.findLastIndex((call) => call.includes("--stream-specification"));

  expect(last).toBeGreaterThan(0);
  expect(calls.findIndex((call) => call.includes("update-time-to-live"))).toBeGreaterThan(last);
});

/** Tables of a printed setting, in the form of the stack's setting. */
const tablesOf = (text: string | undefined) => readSettings({ stage: "prod", restoredTables: text }).restoredTables;

test("the printed settings name every restored table, and for the way back every table that the stack created", () => {
  const [forward, back] = printed.filter((text) => text.startsWith('{"prod"')).map(tablesOf);

  expect(Object.entries(forward ?? {}).map(([name, table]) => [name, table?.tableName])).toEqual(
    recoverable.map((name) => [name, restoredName(name)]),
  );
  expect(Object.entries(back ?? {}).map(([name, table]) => [name, table?.tableName])).toEqual(
    recoverable.map((name) => [name, madeName(logicalIds.find((id) => id.startsWith(`Data${name}`)) ?? "")]),
  );
});

test("restored tables can be imported into the stack under the logical ids of its tables", () => {
  expect(JSON.parse(readFileSync(join(directory, "import.json"), "utf8"))).toEqual(
    Object.fromEntries(logicalIds.map((id) => [id, { TableName: restoredName(/^Data([a-z]+)/u.exec(id)?.[1] ?? "") }])),
  );
});

test("the gateway is closed, and opened again at the limit of before, even if the step that closes it was repeated", () => {
  const changes = calls
    .filter((call) => call.includes("update-stage"))
    .map((call) =>
      call.slice(call.indexOf("--patch-operations") + 1).map((operation) => operation.split(",value=")[1]),
    );

  expect(changes).toEqual([
    ["0", "0"],
    ["0", "0"],
    ["750.0", "1500"],
  ]);
  expect(readFileSync(join(directory, "stage.txt"), "utf8")).toBe(stageLimit);
  expect(calls.filter((call) => call.includes("update-stage")).every((call) => call.includes("a1b2c3d4e5"))).toBe(true);
});
