import { expect, test } from "vitest";
import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { html, prose } from "../../../lib/contract/openapi/html.ts";
import { documentPage } from "../../../lib/contract/openapi/page.ts";
import { exportTraces } from "../../../lib/contract/otlp/export-traces.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";

const page = documentPage(openApiDocument(routes));
const all = (pattern: RegExp): string[] => [...page.matchAll(pattern)].map(([, found = ""]) => found);
const section = (id: string): string => new RegExp(`<article id="${id}">.*?</article>`, "su").exec(page)?.[0] ?? "";

test("the page has every operation and every schema", () => {
  const { schemas } = openApiDocument(routes).components;
  const expected = [...routes.map(({ id }) => id), ...Object.keys(schemas).map((name) => `schema-${name}`)];

  expect(all(/<article id="([^"]+)"/gu).toSorted()).toEqual(expected.toSorted());
});

test("the page runs nothing and asks for nothing", () => {
  expect(page).not.toMatch(/<(?:script|link|img|iframe|object|form|base)\b|\bon\w+=|javascript:|url\(|@import|src=/iu);
});

test("every link leads to a place of the page or to the document beside it", () => {
  const ids = new Set(all(/ id="([^"]+)"/gu));
  const links = all(/href="([^"]*)"/gu).filter((link) => !(link.startsWith("#") && ids.has(link.slice(1))));

  expect(new Set(links)).toEqual(new Set(["openapi.json"]));
});

test("what is said of a resource as a whole stands below its heading", () => {
  expect(page).toMatch(/<h2 id="runs">runs<\/h2>\s*<p>Why a metric of a target has no value/u);
  expect(page).toContain("<td><code>judge_rate_limited</code></td>");
});

test("an operation says who may call it, what it takes and what it answers", () => {
  const text = section(createTraceRun.id).replaceAll(/<[^>]+>/gu, "");

  expect(text).toContain("Who may call: X-API-Key with X-Project-Name, or Authorization: Bearer with X-Project-ID.");
  expect(text).toContain("array of string, 1 to 1000 items");
  expect(text).toContain("number, 0 to 1");
  expect(text).toContain("Default 1.");
  expect(text).toContain("At most 50 requests per minute and client.");
  expect(text).toContain("Retry-After");
});

test("the example call of an operation has its credential, type and body", () => {
  const call = /<pre>(curl.*?)<\/pre>/su.exec(section(createTraceRun.id))?.[1]?.replaceAll("&quot;", '"') ?? "";
  const body = /-d '(.*)'$/su.exec(call)?.[1] ?? "";

  expect(call).toContain('curl -s "$ASSAY/evaluations/trace-runs"');
  expect(call).toContain('-H "X-API-Key: $KEY"');
  expect(call).toContain("-H 'Content-Type: application/json'");
  expect(JSON.parse(body)).toMatchObject({ metrics: ["task_completion", "tool_correctness"] });
});

test("what is put into a page is text", () => {
  expect(html`<p title="${'"'}">${"<b>&"}</p>`.text).toBe('<p title="&quot;">&lt;b&gt;&amp;</p>');
  expect(prose("a `<b>` c").text).toBe("a <code>&lt;b&gt;</code> c");
});

test("what is put into a page keeps its lines", () => {
  expect(html`<pre>${"{\n  1\n}"}</pre>`.text).toBe("<pre>{\n  1\n}</pre>");
});

test("a table in a description is a table of the page, with the paragraphs around it", () => {
  const text = section(exportTraces.id);

  expect(text).toContain("<p>The conventions are asked for each field by itself:");
  expect(text).toMatch(
    /<td>kind<\/td><td><code>gen_ai\.operation\.name<\/code>, <code>openinference\.span\.kind<\/code>/u,
  );
  expect(text).not.toContain("|---");
});
