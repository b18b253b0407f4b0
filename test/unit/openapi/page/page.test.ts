import { afterAll, expect, test } from "vitest";
import { exportTraces } from "../../../../lib/contract/otlp/export-traces.ts";
import { openApiDocument } from "../../../../lib/contract/openapi/document.ts";
import { documentPage } from "../../../../lib/contract/openapi/page/page.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { createTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { renderedPage } from "../../../support/page/rendered-page.ts";
import { shellCommands } from "../../../support/page/shell.ts";

const described = openApiDocument(routes);
const page = documentPage(described)("http://127.0.0.1:4000");
const window = renderedPage(page);
const { document } = window;
afterAll(() => window.happyDOM.close());

const textOf = (id: string): string => document.getElementById(id)?.textContent.replaceAll(/\s+/gu, " ") ?? "";
const callOf = (id: string): string =>
  [...(document.getElementById(id)?.children ?? [])].find(({ tagName }) => tagName === "PRE")?.textContent ?? "";
const shell = { ASSAY: "a", KEY: "k", TOKEN: "t", PROJECT: "p" };

test("the page has every operation and every schema", () => {
  const { schemas } = described.components;
  const expected = [...routes.map(({ id }) => id), ...Object.keys(schemas).map((name) => `schema-${name}`)];
  const articles = [...document.querySelectorAll("main article")].map(({ id }) => id);

  expect(articles.toSorted()).toEqual(expected.toSorted());
});

test("the page opens with the way from nothing to a score", () => {
  const main = document.querySelector("main");
  const headings = [...(main?.querySelectorAll("h2") ?? [])].map(({ textContent }) => textContent);
  const steps = [...(main?.querySelectorAll("#start li h3") ?? [])].map(({ textContent }) => textContent);

  expect(headings[0]).toBe("Store a trace, evaluate it, read its scores");
  expect(steps).toEqual(["Store a trace", "Evaluate it", "Read its scores"]);
  expect(textOf("start")).toContain("ASSAY='http://127.0.0.1:4000'");
});

test("what is said of a resource as a whole stands below its heading", () => {
  expect(textOf("runs")).toMatch(/^ ?Runs Why a metric of a target has no value/u);
  expect(textOf("runs")).toContain("judge_rate_limited");
});

test("the address that the page is made for stands in it as text", () => {
  const odd = documentPage(described)("http://a/<b>&'\"");

  expect(odd).toContain(String.raw`ASSAY='http://a/&lt;b&gt;&amp;'\''"'`);
});

test("every link of the page leads to a place of it or to the document beside it, and no place has another's name", () => {
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  const links = [...document.querySelectorAll("a")].map((link) => link.getAttribute("href") ?? "");
  const astray = links.filter((link) => !(link.startsWith("#") && ids.includes(link.slice(1))));

  expect(new Set(astray)).toEqual(new Set(["openapi.json"]));
  expect(new Set(ids).size).toBe(ids.length);
});

test("headings go down one level at a time", () => {
  const levels = [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(({ tagName }) => Number(tagName[1]));
  const jumps = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);

  expect(levels.filter((level) => level === 1)).toHaveLength(1);
  expect(jumps).toEqual([]);
});

test("what is found by name on the page is folded up at first, and the page is whole without its script", () => {
  const open = [...document.querySelectorAll("details")].filter((folded) => folded.hasAttribute("open"));
  const named = [...document.querySelectorAll("nav details details a")].map((link) => link.getAttribute("href"));

  expect(open).toEqual([]);
  expect(named.toSorted()).toEqual(routes.map(({ id }) => `#${id}`).toSorted());
  expect([...document.querySelectorAll("[hidden]")].map(({ id }) => id)).toEqual(["search", "nothing"]);
});

test("an operation says who may call it, what it takes and what it answers", () => {
  const text = textOf(createTraceRun.id);

  expect(text).toContain("Who may call: X-API-Key with X-Project-Name, or Authorization: Bearer with X-Project-ID.");
  expect(text).toContain("array of string, 1 to 1000 items");
  expect(text).toContain("number, 0 to 1");
  expect(text).toContain("Default 1.");
  expect(text).toContain("At most 50 requests per minute and client: RateLimit of each reply tells what is left.");
  expect(text).toContain("Idempotency-Key");
  expect(text).toContain("As for every call: 401, 403, 404, 413, 415, 422, 429, 500, 503.");
});

test("what holds for every call is said once", () => {
  const text = textOf("every-call");

  expect(text).toContain("Errors are {detail, code, request_id, documentation_url}");
  expect(text).toMatch(/429 Too many requests\.ErrorResponse(?:RateLimit[A-Za-z-]*)*Retry-After/u);
  expect(text).toContain("Idempotency-Key header");
});

test("every variable of the example calls is explained before them", () => {
  const calls = [...document.querySelectorAll("article > pre")].map(({ textContent }) => textContent).join("\n");
  const used = new Set([...calls.matchAll(/\$[A-Z]+/gu)].map(([name]) => name));

  expect(used).toContain("$TOKEN");
  expect([...used].filter((name) => !textOf("every-call").includes(name))).toEqual([]);
});

test("every example of the page is JSON", () => {
  const examples = [...document.querySelectorAll("details pre")]
    .filter((block) => block.closest("#send-traces") === null)
    .map(({ textContent }) => textContent);

  expect(examples.length).toBeGreaterThan(routes.length);
  expect(examples.map((example): unknown => JSON.parse(example))).not.toContain(undefined);
});

test.each(routes)("the example call of $id is one call of curl with JSON in its body", ({ id, method, body }) => {
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
  const cells = [...(document.getElementById(exportTraces.id)?.querySelectorAll("td") ?? [])];

  expect(textOf(exportTraces.id)).toContain("The conventions are asked for each field by itself:");
  expect(cells.map(({ textContent }) => textContent).slice(0, 2)).toEqual([
    "kind",
    expect.stringMatching(/^langfuse\.observation\.type, langsmith\.span\.kind/u),
  ]);
  expect(textOf(exportTraces.id)).not.toContain("|---");
});
