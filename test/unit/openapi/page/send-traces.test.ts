import { parse } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openApiDocument } from "../../../../lib/contract/openapi/document.ts";
import { documentPages } from "../../../../lib/contract/openapi/page/page.ts";
import { pageFiles } from "../../../../lib/contract/openapi/page/page-files.ts";
import { programs, variablesOf } from "../../../../lib/contract/openapi/page/programs/programs.ts";
import { programSettings } from "../../../../lib/contract/openapi/page/programs/settings.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { recordedRequest, tracesIn } from "../../../support/otlp/otlp-fixtures.ts";
import { renderedPage } from "../../../support/page/rendered-page.ts";
import { shellCommands } from "../../../support/page/shell.ts";

const document = openApiDocument(routes);
const pageOf = documentPages(document);
const serviceUrl = "http://127.0.0.1:4000";
const list = renderedPage(pageOf("send-traces", serviceUrl) ?? "", { topic: "send-traces" });
afterAll(() => list.happyDOM.close());

const topics = programs.map(({ topic }) => topic);

test("the list links to the page of every program, beside the call that it needs before a function returns", () => {
  const rows = [...list.document.querySelectorAll("#send-traces tbody tr:has(a)")].map((row) => [
    row.querySelector("a")?.getAttribute("href"),
    row.querySelector("a")?.textContent,
    row.querySelector("code")?.textContent,
  ]);
  const expected = programs.map(({ topic, name, flush }) => [`${topic}#${topic}`, `Send traces from ${name}`, flush]);

  expect(rows.toSorted()).toEqual(expected.toSorted());
});

test("the list says for each program that sends Langfuse's events what to set, and whether that was tried", () => {
  const table = list.document.querySelector("#langfuse-events ~ table");
  const rows = [...(table?.querySelectorAll("tbody tr") ?? [])].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => cell.textContent),
  );

  expect(rows.map(([program = ""]) => program.split(/[:, ]/u)[0])).toEqual([
    "JavaScript",
    "Python",
    "PHP",
    "Dify",
    "Flowise",
    "n8n",
  ]);
  for (const [, settings = "", tested = ""] of rows) {
    expect(settings).toMatch(/LANGFUSE_SECRET_KEY|Secret Key|secret key|password/u);
    expect(tested).toMatch(/^(?:documented, not run|langfuse \d.*)$/u);
  }
});

test("no program has the topic of another page", () => {
  const otherTopics = ["", "send-traces", "schemas", ...document.tags.map(({ name }) => name)];

  expect(new Set([...topics, ...otherTopics]).size).toBe(topics.length + otherTopics.length);
});

test("every file of a program is on a page", () => {
  const files = Object.keys(pageFiles).filter((path) => path.startsWith("programs/"));

  expect(files.map((path) => parse(path).name).toSorted()).toEqual(topics.toSorted());
});

describe.each(programs)("the page of $topic", (program) => {
  const { topic, language, settings, packages, code, flush, notes = "" } = program;
  const [section = ""] = /<section id[^]*<\/section>/u.exec(pageOf(topic, serviceUrl) ?? "") ?? [];
  const text = section.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  const blocks = [...text.matchAll(/<pre>([^]*?)<\/pre>/gu)].map(([, block = ""]) => block);

  test("installs exact versions", () => {
    const [command, exactVersion] =
      language === "Python"
        ? (["pip", /^[\w-]+(?:\[[\w,]+\])?==\d+\.\d+(?:\.\d+)?(?:b\d+)?$/u] as const)
        : (["npm", /^(?:@[\w-]+\/)?[\w-]+@\d+\.\d+\.\d+$/u] as const);

    for (const item of packages) expect(item).toMatch(exactVersion);
    expect(shellCommands(blocks[0] ?? "", {})).toEqual([[command, "install", ...packages]]);
  });

  test("shows the program, its limits, and no API key or address in the program", () => {
    expect(text).toContain(`<section id="${topic}">`);
    expect(blocks[2]).toBe(code);
    expect(code).not.toMatch(/sk_as_|127\.0\.0\.1|localhost/u);
    for (const sentence of [programSettings[settings].limits, notes])
      expect(text.replaceAll(/<\/?code>/gu, "")).toContain(sentence.replaceAll("`", ""));
  });

  test("sets the variables of its settings, with this service's address", () => {
    const destination = { serviceUrl, apiKey: "sk_as_...", projectName: "default" };
    const variables = variablesOf(program, destination);
    const commands = shellCommands(blocks[1] ?? "", {});

    expect(commands).toEqual(Object.entries(variables).map(([name, value]) => ["export", `${name}=${value}`]));
    expect(Object.values(variables).some((value) => value.startsWith(serviceUrl))).toBe(true);
    expect(blocks[1]).toContain("sk_as_...");
  });

  test("names what flushes", () => {
    expect(flush).toMatch(/flush|wait|EXPORT_INTERVAL/iu);
  });
});

const javaScriptPrograms = programs.filter(({ language }) => language === "JavaScript");

test.each(javaScriptPrograms)("$topic installs what it imports, and flushes", ({ code, packages, flush }) => {
  const imported = [...code.matchAll(/ from "((?:@[^/"]+\/)?[^/"]+)[^"]*";/gu)].map(([, name = ""]) => name);
  const installed = new Set(packages.map((item) => item.replace(/(?<!^)@.*$/u, "")));

  expect(imported.filter((name) => !installed.has(name))).toEqual([]);
  expect(code).toContain(flush);
});

/** Exports of the programs' frameworks, as recorded. */
const recordings: Readonly<Record<string, string>> = {
  "agent-framework": "agent_framework.0006",
  anthropic: "oi_anthropic.0002",
  autogen: "autogen_oi.0016",
  "claude-agent-sdk": "claude-sdk.00256._v1_traces",
  "google-adk": "adk_own_latest.0028",
  "langfuse-python": "langfuse_sdk.0016",
  langchain: "langgraph_oi.0005",
  litellm: "litellm_cb.0019",
  llamaindex: "llamaindex_oi.0002",
  mlflow: "mlflow.0003",
  "openai-agents": "openai_agents_logfire.0010",
  openlit: "openlit3.00263._v1_traces",
  "pydantic-ai": "pydantic_ai.0007",
  smolagents: "smolagents_oi.0005",
  strands: "strands_latest.0018",
};

test.each(Object.entries(recordings))("a recorded export of %s has a model call with its tokens", (topic, file) => {
  const spans = tracesIn(recordedRequest(`frameworks/${file}.pb.gz`)).flatMap((trace) => trace.spans);
  const tokens = spans.flatMap(({ kind, token_usage }) =>
    kind === "LLM" ? [Number(token_usage?.prompt_tokens ?? 0)] : [],
  );

  expect(topics).toContain(topic);
  expect(Math.max(...tokens)).toBeGreaterThan(0);
});
