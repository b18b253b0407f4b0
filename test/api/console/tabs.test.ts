import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { createClient } from "../../../lib/client/client.ts";
import { openConsole, startBrowser } from "../../support/browser/browser.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser(true);
}, 120_000);
afterAll(() => browser.close());

test("a link opened in another tab has the same session; a typed address asks to sign in", async () => {
  const { trace_id: id } = await client.createTrace({
    body: { name: "opened elsewhere", started_at: new Date().toISOString(), output: "It stands there." },
  });
  const list = `#/traces?name=${encodeURIComponent("opened elsewhere")}`;
  const { page } = await openConsole(browser, service, list);
  const link = page.locator(`a[href*="${id}"]`).first();

  for (const press of [() => link.click({ modifiers: ["ControlOrMeta"] }), () => link.click({ button: "middle" })]) {
    const [opened] = await Promise.all([page.context().waitForEvent("page"), press()]);
    await opened.getByText("It stands there.").waitFor();
    expect(page.url()).toContain(list);
  }
  const typed = await page.context().newPage();
  await typed.goto(page.url());
  await typed.getByLabel("API key").waitFor();
});
