import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { filesBelow } from "../../infra/local/build/files-below.ts";
import { publishedMetrics } from "../../lib/published-metrics.ts";
import { synthesize } from "./synthesize.ts";

const page = readFileSync(new URL("../../infra/README.md", import.meta.url), "utf8");
const [, section = ""] = /\n## Alarms\n([\s\S]*?)\n## /u.exec(page) ?? [];

const rows = section
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

/** An alarm as its name begins behind the stack's: its logical id without what CDK hangs on. */
const alarmsOf = (context: Record<string, unknown>) =>
  Object.entries(synthesize(context).template.findResources("AWS::CloudWatch::Alarm")).map(
    ([id, { Properties }]) => [`\`${id.replace(/[0-9A-F]{8}$/u, "")}\``, Properties] as const,
  );

test("the page has a row for every alarm, first for those that are always there, and for no other", () => {
  const always = alarmsOf({}).map(([name]) => name);
  const all = alarmsOf({ moreAlarms: true }).map(([name]) => name);

  expect(rows.map(([name]) => name).toSorted()).toEqual(all.toSorted());
  expect(
    rows
      .slice(0, always.length)
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(always.toSorted());
});

test("every row says what users see, what to do and when it is over", () => {
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    expect(row).toHaveLength(4);
    expect(row.filter((cell) => cell.length < 10)).toEqual([]);
  }
});

test("every alarm leads to the page", () => {
  for (const [name, { AlarmDescription }] of alarmsOf({ moreAlarms: true }))
    expect([name, String(AlarmDescription)]).toEqual([
      name,
      expect.stringMatching(/What to do: infra\/README\.md\.$/u),
    ]);
});

test("what the page tells to look for in the logs is what the code writes", () => {
  const told = new Set([...section.matchAll(/`([a-z]+(?:_[a-z]+)+)`/gu)].map(([, event]) => event));
  const fields = new Set(["waiting_for", "request_id"]);
  const lib = fileURLToPath(new URL("../../lib", import.meta.url));
  const sources = filesBelow(lib)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(lib, file), "utf8"))
    .join("\n");

  expect(told.size).toBeGreaterThan(8);
  expect([...told].filter((event) => !fields.has(event ?? "") && !sources.includes(`"${event}"`))).toEqual([]);
});

test("the page knows how many metrics of our own there are", () => {
  expect(Object.keys(publishedMetrics)).toHaveLength(9);
  expect(section).toContain("There are nine and an account has ten free");
});
