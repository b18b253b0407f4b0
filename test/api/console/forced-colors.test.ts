import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../lib/client/client.ts";
import { openConsole } from "../../support/browser/browser.ts";
import { browserOfFile } from "../../support/browser/file-browser.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const browser = browserOfFile();

test("bars and chosen states are visible in forced colors", async () => {
  const started_at = new Date().toISOString();
  const { trace_id: id } = await client.createTrace({
    body: { name: randomUUID(), started_at, spans: [{ name: "call", started_at, kind: "LLM" }] },
  });
  const { page } = await openConsole(browser(), service, `#/traces/${id}?view=timeline`, { forcedColors: "active" });
  const bar = page.locator(".lane .bar").first();
  await bar.waitFor({ state: "attached" });

  const styleOf = (selector: string, property: string) =>
    page.evaluate<string>(
      `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue("${property}")`,
    );
  expect(await styleOf(".lane .bar", "background-color")).not.toBe(await styleOf("body", "background-color"));
  expect(await styleOf(".lane .bar", "background-color")).not.toBe("rgba(0, 0, 0, 0)");
  expect(await styleOf(".lane .bar", "background-color")).not.toBe("rgb(255, 255, 255)");
  expect(await styleOf('[aria-current="page"]', "outline-style")).toBe("solid");
});
