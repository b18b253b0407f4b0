import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const at = (seconds: number): string => new Date(Date.now() - 600_000 + seconds * 1_000).toISOString();
const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const browser = browserOfFile();

/** Creates a trace of an agent with two model calls and a tool call. @param isLonger adds a failed step. */
const createAgentTrace = async (isLonger = false): Promise<{ readonly id: string; readonly answer: string }> => {
  const answer = randomUUID();
  const tools = [{ name: "find_order", description: "Finds orders", input_schema: { type: "object" } }];
  const order = { customer: "c-1", filter: JSON.stringify({ state: "needle-open" }) };
  const { trace_id: id } = await client.createTrace({
    body: {
      name: "agent",
      started_at: at(0),
      ended_at: at(9),
      input: "Where is it?",
      output: "On its way.",
      spans: [
        { name: "find_order", kind: "TOOL", started_at: at(1), ended_at: at(3), input: order, output: ["o-1"] },
        ...(isLonger
          ? [{ name: "refund", kind: "TOOL", status: "ERROR", started_at: at(3), error: "refused" } as const]
          : []),
        {
          span_id: answer,
          name: "answer",
          kind: "LLM",
          model: "gpt-4o",
          started_at: at(4),
          ended_at: at(8),
          input: {
            system: "Be kind.",
            temperature: 0.25,
            tools,
            messages: [
              {
                role: "user",
                content: [
                  { type: "text", text: "Where? @@@langfuseMedia:type=image/jpeg|id=x|source=base64@@@" },
                  { type: "image_url", image_url: { url: pixel } },
                ],
              },
              { role: "assistant", content: [{ type: "tool_use", id: "1", name: "find_order", input: order }] },
              { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "needle-result" }] },
            ],
          },
          output: {
            role: "assistant",
            content:
              "# Orders\n\n| order | state |\n|---|---|\n| o-1 | sent |\n\n1. Wait\n\n![map](https://example.org/map.png) [bad](javascript:alert(1))",
          },
          token_usage: { prompt_tokens: 1_200, completion_tokens: 34 },
          cost: { total: 0.25 },
        },
      ],
    },
  });
  return { id, answer };
};

const detail = (page: Page) => page.getByRole("article", { name: "Span answer" });

test("a span says what its exporter left out", async () => {
  const { trace_id } = await client.createTrace({
    body: {
      name: "agent",
      started_at: at(0),
      spans: [{ name: "answer", started_at: at(1), metadata: { "otel.others": { dropped_attributes: 3 } } }],
    },
  });
  const { spans } = await client.getTrace({ path: { trace_id } });
  const { page } = await openConsole(browser(), service, `#/traces/${trace_id}?span=${spans[0]?.span_id}`);

  await detail(page).getByText("Left out by the exporter: 3 attributes").waitFor();

  expect(await detail(page).count()).toBe(1);
});

test("a model call is a chat with paired results, tools, parameters, images and Markdown, and asks no other origin", async () => {
  const { id, answer } = await createAgentTrace();
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}?span=${answer}`);

  const span = detail(page);
  await span.getByText("Media, not stored (image/jpeg)").waitFor();
  await span.getByRole("cell", { name: "sent" }).waitFor();
  expect(await span.locator(".message > h4").allTextContents()).toEqual(["System ", "User ", "Model ", "Model "]);
  await span.getByRole("region", { name: "Call of find_order" }).getByText("needle-result").waitFor();
  // The arguments contain a JSON text, which is part of the tree.
  await span.getByText("needle-open").waitFor();
  expect(await span.locator("img").getAttribute("src")).toBe(pixel);
  expect(await span.getByRole("link").allTextContents()).toEqual(["map (image)"]);
  await span.getByText("temperature").waitFor();
  await span.getByText("1 offered tool").click();
  await span.locator(".tools-offered summary", { hasText: "find_order" }).click();
  await span.locator(".tools-offered").getByText("object").waitFor();
  await span.getByText("1,200 in, 34 out").waitFor();
  await span.getByText("$0.25").waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("a search looks into arguments and outputs, and leads from match to match by keyboard in both views", async () => {
  const { id, answer } = await createAgentTrace();
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}`);
  await page.getByRole("heading", { name: "agent" }).waitFor();
  const search = page.getByRole("searchbox", { name: "Search the trace" });
  await search.waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("needle");
  await page.getByRole("search").getByText("2 spans", { exact: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("1 of 2 spans").waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("2 of 2 spans").waitFor();
  await page.locator(`#turn-${answer}.on`).waitFor();
  await search.fill("needle-result");
  await page.getByText("1 of 1 span", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Timeline" }).click();
  await page.locator(".span-row").first().waitFor();
  expect(await page.locator(".span-row").count()).toBe(1);
  expect(await page.locator(".span-row .usage").allTextContents()).toEqual(["1,234", "$0.25"]);
  expect(faults).toEqual([]);
});

test("the timeline zooms by buttons and to a span, and says which time it shows", async () => {
  const { id, answer } = await createAgentTrace();
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}?view=timeline&span=${answer}`);
  const axis = page.locator(".axis span");
  await axis.first().waitFor();
  // The first span starts a second after the trace, and the timeline with it.
  expect(await axis.allTextContents()).toEqual(["0 ms", "3.5 s", "7.0 s"]);
  await page.getByRole("button", { name: "To span" }).click();
  expect(await axis.allTextContents()).toEqual(["2.2 s", "4.6 s", "7.0 s"]);
  await page.getByRole("button", { name: "All" }).click();
  await page.keyboard.press("+");
  expect(await axis.allTextContents()).toEqual(["1.8 s", "3.5 s", "5.3 s"]);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("two traces stand side by side with aligned steps, from the link of the other one", async () => {
  const [{ id }, { id: otherId }] = [await createAgentTrace(), await createAgentTrace(true)];
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}`);
  await page.getByRole("button", { name: "Compare with …" }).click();
  await page.keyboard.type(`${service.baseUrl}/console#/traces/${otherId}?view=timeline`);
  await page.keyboard.press("Enter");

  await page.getByText("2 steps in both, 0 only on the left, 1 only on the right.").waitFor();
  expect(await page.locator(".pair-row .span-name > :last-child").allTextContents()).toEqual([
    "find_order",
    "find_order",
    "refund",
    "answer",
    "answer",
  ]);
  await page.locator(".pair-row.one-sided").click();
  await page.getByText("This trace has no such step.").waitFor();
  await page.getByText("refused", { exact: true }).waitFor();
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await page.getByRole("button", { name: "Close the comparison" }).click();
  await page.locator(".transcript").first().waitFor();
  expect(faults).toEqual([]);
});

test("an outline leads to a turn that is not displayed yet", async () => {
  const messages = Array.from({ length: 90 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `message ${index}`,
  }));
  const { trace_id: id } = await client.createTrace({ body: { name: "chat", started_at: at(0), input: { messages } } });
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}`);
  await page.getByText("Outline of 90 turns").click();
  expect(await page.locator(".turn").count()).toBe(60);
  await page.getByRole("button", { name: "message 85" }).click();
  const turn = page.locator(".turn", { hasText: "message 85" });
  // A turn is 50 pixels high or more: far from the end of the list the reader would not see it. It is scrolled to after it is drawn.
  await expect.poll(async () => Math.abs((await turn.boundingBox())?.y ?? Infinity)).toBeLessThan(800);
  expect(faults).toEqual([]);
});

test("each answer has the model of its own call, whose label leads to it, and no two elements have the same id", async () => {
  const spanIds = [randomUUID(), randomUUID()] as const;
  const history = [
    { role: "user", content: "First question" },
    { role: "assistant", content: "Earlier answer" },
    { role: "user", content: "Second question" },
  ];
  const { trace_id: id } = await client.createTrace({
    body: {
      name: "chat",
      started_at: at(0),
      spans: [
        {
          span_id: spanIds[0],
          name: "draft",
          kind: "LLM",
          model: "model-a",
          started_at: at(1),
          input: history,
          output: [
            { role: "assistant", content: "Draft" },
            { role: "assistant", content: "Final draft" },
          ],
        },
        {
          span_id: spanIds[1],
          name: "check",
          kind: "LLM",
          model: "model-b",
          started_at: at(2),
          status: "ERROR",
          error: "cut off",
          input: [...history, { role: "user", content: "Check it" }],
          output: { role: "assistant", content: "Checked" },
        },
      ],
    },
  });
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}`);
  await page.locator(".turn", { hasText: "Checked" }).waitFor();

  expect(await page.locator(".turn.model h2").allTextContents()).toEqual([
    "Model",
    "Modelmodel-a",
    "Modelmodel-a",
    "Model · final answermodel-b",
  ]);
  await page.getByRole("button", { name: "model-b" }).click();
  expect(await page.locator(".turn.on").allTextContents()).toEqual(["Model · final answermodel-bChecked"]);
  const ids = await page.locator("[id^=turn-]").evaluateAll((elements) => elements.map(({ id: each }) => each));
  expect(ids).toEqual(spanIds.map((each) => `turn-${each}`));
  expect(faults).toEqual([]);
});

test("an agent's messages are a chat, and a single argument or result keeps its name", async () => {
  const [agent, tool] = [randomUUID(), randomUUID()];
  const { trace_id: id } = await client.createTrace({
    body: {
      name: "chain",
      started_at: at(0),
      spans: [
        {
          span_id: agent,
          name: "answer",
          kind: "AGENT",
          started_at: at(1),
          input: {
            messages: [
              { role: "system", content: "Be kind." },
              { role: "user", content: "Which one?" },
            ],
            plan: "first plan",
          },
          output: { role: "assistant", content: "**This** one" },
        },
        {
          span_id: tool,
          name: "shell",
          kind: "TOOL",
          started_at: at(2),
          input: { to: "alice" },
          output: { stderr: "# not found" },
        },
      ],
    },
  });
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}?span=${agent}`);
  const span = detail(page);
  await span.locator("strong", { hasText: "This" }).waitFor();
  expect(await span.locator(".message > h4").allTextContents()).toEqual(["System ", "User ", "Model "]);
  expect(await span.locator(".tree").first().textContent()).toContain("plan: first plan");
  await page.getByText('{"to":"alice"}').click();
  await page.getByRole("button", { name: "Show span" }).click();
  const shell = page.getByRole("article", { name: "Span shell" });
  await shell.getByText("# not found").first().waitFor();
  expect((await shell.locator(".tree").allTextContents()).slice(0, 2)).toEqual([
    expect.stringContaining("to: alice"),
    expect.stringContaining("stderr: # not found"),
  ]);
  expect(await shell.getByRole("heading", { name: "not found" }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test("on a phone a selected span's details come into view, in both views", async () => {
  const { id, answer } = await createAgentTrace(true);
  const phone = { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true };
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}`, phone);
  await page.getByText("1 failed", { exact: false }).first().waitFor();
  const top = async () => (await page.locator(".span-detail").boundingBox())?.y ?? Number.NaN;

  await page.getByRole("button", { name: "gpt-4o" }).tap();
  await detail(page).waitFor();
  await expect.poll(top).toBeLessThan(400);
  // A scroll offset is a whole number of pixels.
  expect(await top()).toBeGreaterThan(-1);
  await page.getByRole("button", { name: "Timeline" }).tap();
  await page.locator(".span-row", { hasText: "find_order" }).tap();
  await page.getByRole("article", { name: "Span find_order" }).waitFor();
  await expect.poll(top).toBeLessThan(400);
  expect(new URL(page.url()).hash).not.toContain(answer);
  expect(faults).toEqual([]);
});

test("entries of nested data are large enough to be touched", async () => {
  const spanId = randomUUID();
  const { trace_id: id } = await client.createTrace({
    body: {
      name: "data",
      started_at: at(0),
      spans: [
        {
          span_id: spanId,
          name: "answer",
          kind: "TOOL",
          started_at: at(0),
          input: { a: { b: { c: [1] } }, d: { e: 1 } },
        },
      ],
    },
  });
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}?span=${spanId}`);
  await detail(page).getByText("c:", { exact: false }).first().waitFor();
  const heights = await page
    .locator(".tree summary")
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
  expect(heights.length).toBeGreaterThan(3);
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(24);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("a search unfolds the earlier message that it has found, and scrolls to it", async () => {
  const spanId = randomUUID();
  const input = Array.from({ length: 200 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: index === 20 ? "a needle" : `message ${index}`,
  }));
  const { trace_id: id } = await client.createTrace({
    body: {
      name: "chat",
      started_at: at(0),
      spans: [{ span_id: spanId, name: "answer", kind: "LLM", started_at: at(0), input, output: "Done" }],
    },
  });
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}?span=${spanId}`);
  await detail(page).getByText("170 earlier messages").waitFor();
  await page.getByRole("searchbox", { name: "Search the trace" }).fill("needle");
  const message = detail(page).locator(".message", { hasText: "a needle" });
  await message.waitFor();
  await detail(page).getByText("20 earlier messages").waitFor();
  const distance = async () => (await message.boundingBox())?.y ?? Number.NaN;
  await expect.poll(distance).toBeGreaterThanOrEqual(0);
  await expect.poll(distance).toBeLessThan(800);
  expect(faults).toEqual([]);
});
