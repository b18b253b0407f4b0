import { createHash } from "node:crypto";
import { expect, inject, test } from "vitest";
import { openApiDocument } from "../../lib/contract/openapi/document.ts";
import { documentPages } from "../../lib/contract/openapi/page/page.ts";
import { routes } from "../../lib/contract/routes.ts";
import { getDocs, getDocsTopic, getLlmsText, getOpenApi } from "../../lib/contract/openapi/documentation.ts";
import { getHealth } from "../../lib/contract/service.ts";
import { clientWith, send } from "../support/service/client.ts";

const service = inject("service");
const anyone = clientWith(service, {});
const { body: build } = await anyone.call(getHealth);
const document = openApiDocument(routes, { version: build.version, commit: build.commit });

test("anyone may read the OpenAPI document, with the build's version and commit", async () => {
  const { status, body, headers } = await anyone.call(getOpenApi);

  expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "application/json" });
  expect(body).toEqual(JSON.parse(JSON.stringify(document)));
});

test("anyone may read the documentation page, made for the host of the request", async () => {
  const { status, text, headers } = await anyone.call(getDocs);
  const { text: elsewhere } = await anyone.call(getDocs, { headers: { Host: "localhost:9000" } });

  expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "text/html; charset=utf-8" });
  expect(text).toBe(documentPages(document)("", service.baseUrl));
  expect(elsewhere).toContain("ASSAY='http://localhost:9000'");
});

test("every topic has a page, and an unknown topic is not found", async () => {
  const topics = ["runs", "send-traces", "ai-sdk", "strands"];
  const [unknown, ...pages] = await Promise.all(
    ["nothing", ...topics].map((topic) => anyone.call(getDocsTopic, { params: { topic } })),
  );

  expect(pages.map(({ text }) => text)).toEqual(topics.map((topic) => documentPages(document)(topic, service.baseUrl)));
  expect(unknown).toMatchObject({ status: 404, error: { code: "not_found" } });
});

test("every page is listed for language models, and is Markdown at an address of its own or by Accept", async () => {
  const { text: list, headers } = await anyone.call(getLlmsText);
  const paths = [...list.matchAll(/\]\(http[^)]*(\/docs\/[^)]+\.md)\)/gu)].map(([, path = ""]) => path);
  const topics = ["runs", "triage", "start", "ai-sdk"];
  const pages = await Promise.all(paths.map((path) => send(service, { method: "GET", path, route: getDocsTopic })));
  const markdown = await anyone.call(getDocsTopic, { params: { topic: "runs" }, headers: { Accept: "text/markdown" } });
  const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const html = await anyone.call(getDocsTopic, { params: { topic: "runs" }, headers: { Accept: browser } });

  expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(paths).toEqual(expect.arrayContaining(topics.map((topic) => `/docs/${topic}.md`)));
  for (const { status, text, headers: each } of pages) {
    expect([status, each["content-type"]]).toEqual([200, "text/markdown; charset=utf-8"]);
    expect(text).toMatch(/^(?:# |---\nname: assay\n)/u);
    expect(text.replaceAll(/```[^]*?```|`[^`\n]*`/gu, "")).not.toMatch(/<\/?[a-z][^<>]*>|&(?:lt|gt|amp|quot);/u);
  }
  expect(markdown.text).toBe(pages[paths.indexOf("/docs/runs.md")]?.text);
  expect(markdown.text).toContain("| `judge_rate_limited` | The judge's provider asks to wait. |");
  expect(html.text).toMatch(/^<!doctype html>/u);
});

test("the content security policy allows the page its own script and style and the search index, and nothing else", async () => {
  const { text, headers } = await anyone.call(getDocs);
  const sources = (tag: string): string[] =>
    [...text.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "gu"))].map(
      ([, source = ""]) => `'sha256-${createHash("sha256").update(source).digest("base64")}'`,
    );

  expect(String(headers["content-security-policy"]).split("; ")).toEqual([
    "default-src 'none'",
    `script-src ${sources("script").join(" ")}`,
    `style-src ${sources("style").join(" ")}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
  expect([sources("script").length, sources("style").length]).toEqual([1, 1]);
  expect(text).not.toMatch(
    /<(?:link|img|iframe|object|form|base)\b|<[^>]+ (?:on\w+|style|src)=|javascript:|url\(|@import/iu,
  );
});

test.each([getOpenApi, getDocs])("$path may be cached for five minutes and has the request's id", async (route) => {
  const { headers } = await anyone.call(route, { headers: { "X-Request-ID": "mine" } });

  expect(headers).toMatchObject({ "cache-control": "public, max-age=300", "x-request-id": "mine" });
});

test.each(["GET", "HEAD"])("%s of the root redirects to the page, with any credential or none", async (method) => {
  const replies = await Promise.all(
    [{}, { "X-API-Key": "nonsense" }].map((headers) =>
      fetch(`${service.baseUrl}/`, { method, headers, redirect: "manual" }),
    ),
  );
  const bodies = await Promise.all(replies.map((reply) => reply.text()));

  expect(bodies).toEqual(["", ""]);
  for (const { status, headers } of replies) {
    expect([status, headers.get("location"), headers.get("content-length")]).toEqual([302, "/docs", "0"]);
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/u);
  }
});

test("a browser that requests the root gets the page", async () => {
  const reply = await fetch(service.baseUrl);

  expect([reply.status, reply.url]).toEqual([200, `${service.baseUrl}/docs`]);
  expect(await reply.text()).toBe(documentPages(document)("", service.baseUrl));
});

test("another method on the root is answered 405 with the allowed methods", async () => {
  const reply = await fetch(service.baseUrl, { method: "POST", body: "{}" });

  expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect(await reply.json()).toEqual({
    detail: "Method Not Allowed",
    code: "method_not_allowed",
    request_id: reply.headers.get("x-request-id"),
    documentation_url: `${service.baseUrl}/docs#error-method_not_allowed`,
  });
});
