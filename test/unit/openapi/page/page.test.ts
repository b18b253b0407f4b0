import { afterAll, expect, test } from "vitest";
import { exportTraces } from "../../../../lib/contract/otlp/export-traces.ts";
import { errorCodes } from "../../../../lib/domain/error-codes.ts";
import { documentedRoutes, openApiDocument } from "../../../../lib/contract/openapi/document.ts";
import { documentPages } from "../../../../lib/contract/openapi/page/page.ts";
import { routes as allRoutes } from "../../../../lib/contract/routes.ts";
import { createTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { renderedPage } from "../../../support/page/rendered-page.ts";
import { shellCommands } from "../../../support/page/shell.ts";

const routes = documentedRoutes(allRoutes);
const described = openApiDocument(routes);
const pageOf = documentPages(described);
const topics = ["", "send-traces", "aws-lambda", "schemas", ...described.tags.map(({ name }) => name)];

const windows = new Map(
  topics.map((topic) => [topic, renderedPage(pageOf(topic, "http://127.0.0.1:4000") ?? "", { topic })]),
);
afterAll(() => Promise.all([...windows.values()].map((window) => window.happyDOM.close())));

/** The page that has an id in its main part. */
const documentWith = (id: string) => {
  const window = [...windows.values()].find(({ document }) => document.getElementById(id)?.closest("main"));
  if (window === undefined) throw new Error(`No page has ${id}.`);
  return window.document;
};
const allElements = (selector: string) =>
  [...windows.values()].flatMap(({ document }) => Array.from(document.querySelectorAll(selector)));

const textOf = (id: string): string => documentWith(id).getElementById(id)?.textContent.replaceAll(/\s+/gu, " ") ?? "";
const callOf = (id: string): string =>
  [...(documentWith(id).getElementById(id)?.children ?? [])].find(({ tagName }) => tagName === "PRE")?.textContent ??
  "";
const shell = { ASSAY: "a", KEY: "k", TOKEN: "t", PROJECT: "p" };

test("every operation and every schema is on one of the pages", () => {
  const { schemas } = described.components;
  const expected = [...routes.map(({ id }) => id), ...Object.keys(schemas).map((name) => `schema-${name}`)];
  const articles = allElements("main article").map(({ id }) => id);

  expect(articles.toSorted()).toEqual(expected.toSorted());
});

test("the first page opens with the steps from nothing to a score", () => {
  const main = documentWith("start").querySelector("main");
  const headings = [...(main?.querySelectorAll("h2") ?? [])].map(({ textContent }) => textContent);
  const steps = [...(main?.querySelectorAll("#start li h3") ?? [])].map(({ textContent }) => textContent);

  expect(headings[0]).toBe("Quick start");
  expect(steps).toEqual(["Store a trace", "Evaluate the trace", "Get the scores"]);
  expect(textOf("start")).toContain("ASSAY='http://127.0.0.1:4000'");
});

test("a page has the version of the build", () => {
  const built = documentPages(openApiDocument(routes, { version: "1.2.3", commit: "f".repeat(40) }));

  expect(built("runs", "http://a")).toMatch(/<h1>Assay <small>1\.2\.3<\/small>/u);
});

test("the description of a resource is below its heading", () => {
  expect(textOf("runs")).toMatch(/^ ?Runs A stable code tells why a metric of a target has no value/u);
  expect(textOf("runs")).toContain("judge_rate_limited");
});

test("the address of the service is on the page as text", () => {
  const odd = pageOf("", "http://a/<b>&'\"");

  expect(odd).toContain(String.raw`ASSAY='http://a/&lt;b&gt;&amp;'\''"'`);
});

test.each(topics)("every link of page '%s' leads to an id of a page or to the document beside the pages", (topic) => {
  const base = topic === "" ? "http://127.0.0.1:4000/docs" : `http://127.0.0.1:4000/docs/${topic}`;
  const page = windows.get(topic)?.document;
  const links = [...(page?.querySelectorAll("a") ?? [])].map((link) => new URL(link.getAttribute("href") ?? "", base));
  const astray = links.filter(({ pathname, hash }) => {
    const target = /^\/docs(?:\/(?<topic>.+))?$/u.exec(pathname);
    return (
      target === null || windows.get(target.groups?.["topic"] ?? "")?.document.getElementById(hash.slice(1)) === null
    );
  });

  expect(links.length).toBeGreaterThan(routes.length);
  expect(new Set(astray.map(({ pathname }) => pathname))).toEqual(new Set(["/openapi.json"]));
});

test.each(topics)("page '%s' has no id twice and is smaller than 200 KB", (topic) => {
  const page = windows.get(topic)?.document;
  const ids = [...(page?.querySelectorAll("[id]") ?? [])].map(({ id }) => id);

  expect(new Set(ids).size).toBe(ids.length);
  expect(pageOf(topic, "http://127.0.0.1:4000")?.length).toBeLessThan(200_000);
});

test("the address of an operation on the first page, which errors and older links use, leads to its entry", () => {
  const [window] = windows.values();

  expect(routes.filter(({ id }) => window?.document.getElementById(id) === null)).toEqual([]);
  expect(window?.document.getElementById("error-not_found")).not.toBeNull();
});

test("the search index leads to every id of a place, with a title and only words of it", () => {
  const places = JSON.parse(pageOf("search.json", "http://127.0.0.1:4000") ?? "") as [string, string, string, string][];
  const lost = places.filter(
    ([place, id]) => windows.has(place) && windows.get(place)?.document.getElementById(id) === null,
  );
  const ids = new Set(places.map(([, id]) => id));
  const expected = [
    ...routes.map(({ id }) => id),
    ...Object.keys(described.components.schemas).map((name) => `schema-${name}`),
    ...Object.keys(errorCodes).map((code) => `error-${code}`),
    ...Object.keys(described.webhooks).map((kind) => `event-${kind.replace(".", "-")}`),
  ];

  expect(lost).toEqual([]);
  expect(places.filter(([, , title, words]) => title === "" || /[<>&]/u.test(words))).toEqual([]);
  expect(expected.filter((id) => !ids.has(id))).toEqual([]);
});

test("an unknown topic has no page", () => {
  expect(pageOf("nothing", "http://127.0.0.1:4000")).toBeNull();
});

test("every page that a description names exists", () => {
  const named = new Set(
    Array.from(JSON.stringify(described).matchAll(/`\/docs\/([a-z-]+)`/gu), ([, topic = ""]) => topic),
  );

  expect([...named]).toContain("exports");
  expect([...named].filter((topic) => pageOf(topic, "http://127.0.0.1:4000") == null)).toEqual([]);
});

test.each(topics)("headings of page '%s' descend one level at a time", (topic) => {
  const page = windows.get(topic)?.document;
  const levels = [...(page?.querySelectorAll("h1, h2, h3, h4, h5, h6") ?? [])].map(({ tagName }) => Number(tagName[1]));
  const jumps = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);

  expect(levels.filter((level) => level === 1)).toHaveLength(1);
  expect(jumps).toEqual([]);
});

test.each(topics)(
  "the contents of page '%s' are collapsed except for its resource, and complete without the script",
  (topic) => {
    const page = windows.get(topic)?.document;
    const open = [...(page?.querySelectorAll("details[open] > summary") ?? [])].map(
      (each) => each.firstChild?.textContent,
    );
    const entries = [...(page?.querySelectorAll("nav details details li + li a") ?? [])].map((link) =>
      link.getAttribute("href")?.split("#").at(-1),
    );

    expect(open.map((text) => text?.trim().toLowerCase())).toEqual(
      described.tags.some(({ name }) => name === topic) ? [topic] : [],
    );
    expect(entries.toSorted()).toEqual(routes.map(({ id }) => id).toSorted());
    expect([...(page?.querySelectorAll("[hidden]") ?? [])].map(({ id }) => id)).toEqual(["search", "hits"]);
  },
);

test("an operation shows its access, its parameters and its replies", () => {
  const text = textOf(createTraceRun.id);

  expect(text).toContain("Authentication: X-API-Key with X-Project-Name, or Authorization: Bearer with X-Project-ID.");
  expect(text).toContain("array of string, 1 to 1000 items");
  expect(text).toContain("number, 0 to 1");
  expect(text).toContain("Default 1.");
  expect(text).toContain(
    "At most 50 requests per minute and client; the RateLimit header of each reply has the remaining quota.",
  );
  expect(text).toContain("Idempotency-Key");
  expect(text).toContain("Common errors: 401, 403, 404, 413, 415, 422, 429, 500, 503.");
});

test("rules for every call are on the pages once", () => {
  const text = textOf("every-call");

  expect(text).toContain("Errors have the form {detail, code, request_id, documentation_url}");
  expect(text).toMatch(/429 Too many requests\.ErrorResponse(?:RateLimit[A-Za-z-]*)*Retry-After/u);
  expect(text).toContain("Idempotency-Key header");
});

test("every variable of the example calls is explained before them", () => {
  const calls = allElements("article > pre")
    .map(({ textContent }) => textContent)
    .join("\n");
  const used = new Set([...calls.matchAll(/\$[A-Z]+/gu)].map(([name]) => name));

  expect(used).toContain("$TOKEN");
  expect([...used].filter((name) => !textOf("every-call").includes(name))).toEqual([]);
});

test("every example of the pages is JSON", () => {
  const examples = allElements("details pre").map(({ textContent }) => textContent);

  expect(examples.length).toBeGreaterThan(routes.length);
  expect(examples.map((example): unknown => JSON.parse(example))).not.toContain(undefined);
});

test.each(routes)("the example call of $id is one curl command with JSON in its body", ({ id, method, body }) => {
  const commands = shellCommands(callOf(id), shell);
  const data = commands[0]?.flatMap((word, index, words) => (words[index - 1] === "-d" ? [word] : [])) ?? [];

  expect(commands.map(([program]) => program)).toEqual(["curl"]);
  expect(data.map((text) => typeof JSON.parse(text))).toEqual(body === undefined ? [] : ["object"]);
  expect(commands[0]?.includes("-X") === true).toBe(method !== "GET" && !(method === "POST" && body !== undefined));
});

test("the example call of an operation has its credential, type and body", () => {
  const [command = []] = shellCommands(callOf(createTraceRun.id), shell);

  expect(command).toContain("a/evaluations/trace-runs");
  expect(command).toContain("X-API-Key: k");
  expect(command).toContain("Content-Type: application/json");
  expect(JSON.parse(command.at(-1) ?? "")).toMatchObject({ metrics: ["task_completion", "tool_correctness"] });
});

test("a table in a description is a table of the page, with the paragraphs around it", () => {
  const cells = [...(documentWith(exportTraces.id).getElementById(exportTraces.id)?.querySelectorAll("td") ?? [])];

  expect(textOf(exportTraces.id)).toContain("Each field is read from the first matching attribute");
  expect(cells.map(({ textContent }) => textContent).slice(0, 2)).toEqual([
    "kind",
    expect.stringMatching(/^langfuse\.observation\.type, langsmith\.span\.kind/u),
  ]);
  expect(textOf(exportTraces.id)).not.toContain("|---");
});
