import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const browser = browserOfFile();

test("keyboard shortcuts are listed at ?, and those of one character can be turned off and on permanently", async () => {
  const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
  await client.createTrace({ body: { name: "keys", started_at: new Date().toISOString() } });
  const { page, faults } = await openConsole(browser(), service, "#/traces?name=keys");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  const newRun = page.getByRole("dialog", { name: /^Evaluate/u });
  await page.locator(".trace-row").first().waitFor();

  await page.keyboard.press("?");
  await dialog.getByRole("row", { name: "j Down next trace" }).waitFor();
  await dialog.getByRole("row", { name: "? show shortcuts" }).waitFor();
  await dialog.getByLabel("Enable single-character shortcuts").uncheck();
  await page.keyboard.press("Escape");
  await page.keyboard.press("e");
  await page.keyboard.press("?");
  expect([await dialog.isVisible(), await newRun.isVisible()]).toEqual([false, false]);

  await page.reload();
  await page.locator(".trace-row").first().waitFor();
  await page.keyboard.press("e");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "keys" }).waitFor();
  await page.getByRole("button", { name: "Shortcuts" }).click();
  await dialog.getByRole("row", { name: "t transcript or timeline" }).waitFor();
  expect(await dialog.getByRole("row", { name: "next trace" }).allInnerTexts()).toEqual(["]\tnext trace"]);
  await dialog.getByLabel("Enable single-character shortcuts").check();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("e");
  await newRun.waitFor();
  expect(faults).toEqual([]);
});
