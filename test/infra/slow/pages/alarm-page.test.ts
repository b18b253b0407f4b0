import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { filesBelow } from "../../../../infra/local/build/files-below.ts";
import { settingNames } from "../../../../infra/settings/settings.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { publishedMetrics, publishLag } from "../../../../lib/published-metrics.ts";
import { publishedLines } from "../../../support/published-lines.ts";
import { synthesize } from "../../synthesize.ts";

const page = readFileSync(new URL("../../../../infra/runbook.md", import.meta.url), "utf8");

const rows = page
  .split("\n")
  .filter((line) => /^\| `[A-Z]/u.test(line))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

/** Alarms by the prefix of their names without the stack's: the logical id without CDK's suffix. */
const alarmsOf = (context: Record<string, unknown>) =>
  Object.entries(synthesize(context).template.findResources("AWS::CloudWatch::Alarm")).map(
    ([id, { Properties }]) => [`\`${id.replace(/[0-9A-F]{8}$/u, "")}\``, Properties] as const,
  );

/** Settings with which all alarms exist. */
const allAlarms = { moreAlarms: true, notifications: { team: { emails: ["team@example.com"] } } };

test("the page has a row for every alarm, first for the alarms of every deployment, and for no other", () => {
  const always = alarmsOf({}).map(([name]) => name);
  const allNames = alarmsOf(allAlarms).map(([name]) => name);

  expect(rows.map(([name]) => name).toSorted()).toEqual(allNames.toSorted());
  expect(
    rows
      .slice(0, always.length)
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(always.toSorted());
});

test("every row states the alarm's severity, the effect on users, the remedy and the end of the alarm", () => {
  const severities = new Map<string | undefined, string>(
    alarmsOf(allAlarms).map(([name, { Tags }]) => [
      name,
      Tags.find(({ Key }: { readonly Key: string }) => Key === "severity").Value,
    ]),
  );

  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const [name, severity, ...texts] = row;
    expect([name, severity]).toEqual([name, severities.get(name)]);
    expect(texts).toHaveLength(3);
    expect(texts.filter((cell) => cell.length < 10)).toEqual([]);
  }
});

const questions = page.slice(page.indexOf("## By question"), page.indexOf("## By symptom"));

test("every question is answered in three lines, and their links, settings and routes exist", () => {
  const answers = questions.split("\n### ").slice(1);
  const headings = new Set(
    [...page.matchAll(/^#+ (.+)$/gmu)].map(([, text = ""]) =>
      text
        .toLowerCase()
        .replaceAll(/[^a-z -]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
  const anchors = [...page.matchAll(/\]\(#([a-z-]+)\)/gu)].map(([, anchor = ""]) => anchor);
  const files = [...questions.matchAll(/\]\(([a-z]+\.md)/gu)].map(([, file = ""]) => file);
  const paths = [...questions.matchAll(/`(GET|POST|DELETE) (\/[^`? ]+)/gu)].map(
    ([, method, path]) => `${method} ${path}`,
  );
  const settings = [...questions.matchAll(/`([a-z]+[A-Z]\w+)`/gu)].map(([, name = ""]) => name);

  expect(answers.length).toBeGreaterThan(10);
  for (const answer of answers) {
    const [question = "", , ...lines] = answer.trim().split("\n");
    expect([question, lines.filter((line) => line.startsWith("- ")).length, lines.length]).toEqual([question, 3, 3]);
    expect(question).toMatch(/\?$/u);
  }
  expect(anchors.filter((anchor) => !headings.has(anchor))).toEqual([]);
  expect(files.filter((file) => !existsSync(new URL(file, new URL("../../../../infra/", import.meta.url))))).toEqual(
    [],
  );
  expect(paths.filter((path) => !routes.some((route) => `${route.method} ${route.path}` === path))).toEqual([]);
  expect(settings.filter((name) => !settingNames.includes(name))).toEqual([]);
});

test("every alarm leads to the page", () => {
  for (const [name, { AlarmDescription }] of alarmsOf(allAlarms))
    expect([name, String(AlarmDescription)]).toEqual([
      name,
      expect.stringMatching(/What to do: infra\/runbook\.md\.$/u),
    ]);
});

test("the log texts that the page names are written by the code", () => {
  const namedEvents = new Set([...page.matchAll(/`([a-z]+(?:_[a-z]+)+)`/gu)].map(([, event]) => event));
  const ids = ["request_id", "project_id", "organization_id", "key_id", "event_id"];
  const fields = new Set(["waiting_for", "organization_name", ...ids]);
  const lib = fileURLToPath(new URL("../../../../lib", import.meta.url));
  const sources = filesBelow(lib)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(lib, file), "utf8"))
    .join("\n");

  expect(namedEvents.size).toBeGreaterThan(8);
  expect([...namedEvents].filter((event) => !fields.has(event ?? "") && !sources.includes(`"${event}"`))).toEqual([]);
});

const objectives = readFileSync(new URL("../../../../infra/slo.md", import.meta.url), "utf8");

test("the page of objectives names alarms that exist, and all that users notice at once in every deployment", () => {
  const named = new Set([...objectives.matchAll(/`(?:Operations|Evaluation|Monitoring|TraceUpkeep)\w+`/gu)].flat());
  const isPage = ({ Tags }: { readonly Tags: readonly object[] }): boolean =>
    Tags.some((tag) => JSON.stringify(tag) === '{"Key":"severity","Value":"page"}');
  const pages = alarmsOf({}).flatMap(([name, alarm]) => (isPage(alarm) ? [name] : []));

  expect([...named].filter((name) => !rows.some(([row]) => row === name))).toEqual([]);
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.filter((name) => !named.has(name))).toEqual([]);
});

test("the query of the page of objectives reads the lag of a worker from its log line", async () => {
  const [, pattern = ""] = /parse @message \/(.+)\/\n/u.exec(objectives) ?? [];
  const { lines } = await publishedLines(async () => publishLag("judge-slice", 1_500));

  expect(objectives).toContain(`like "${lines[0]?.event}"`);
  expect(new RegExp(pattern, "u").exec(JSON.stringify(lines[0]))?.groups).toEqual({
    worker: "judge-slice",
    lag: "1.5",
  });
});

test("the page states the number of service metrics", () => {
  expect(Object.keys(publishedMetrics)).toHaveLength(9);
  expect(page).toContain("nine, where an account has ten free");
});
