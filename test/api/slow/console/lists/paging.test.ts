import { expect, inject, test } from "vitest";
import { openConsole } from "../../../../support/browser/browser.ts";
import { browserOfFile } from "../../../../support/browser/file-browser.ts";
import { generateTraces } from "../../../../support/browser/generated-traces.ts";

const service = inject("service");
const browser = browserOfFile();
const total = 50_000;

/** Script that scrolls a list from top to bottom in two seconds, faster at first as a flung list does. */
const fling = `new Promise((resolve) => {
  const box = document.querySelector(".rows");
  const start = performance.now();
  const step = (now) => {
    const share = Math.min(1, Math.max(0, now - start) / 2_000);
    box.scrollTop = box.scrollHeight * (1 - (1 - share) ** 2);
    if (share === 1) resolve();
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

test("a list of 50,000 traces that is flung to its end requests at most five pages", async () => {
  const { page, faults } = await openConsole(browser(), service, "#/runs");
  const offsets = await generateTraces(page, total);
  await page.evaluate(`location.hash = "#/traces"`);
  await page.getByText("trace 0", { exact: true }).waitFor();

  await page.evaluate(fling);
  await page.getByText(`trace ${total - 1}`, { exact: true }).waitFor();

  expect(offsets.length).toBeLessThanOrEqual(5);
  expect(faults).toEqual([]);
});

test("a list keeps its place while it is loaded and while its filters change", async () => {
  const { page, faults } = await openConsole(browser(), service, "#/runs");
  await generateTraces(page, total);
  let isAnswered = Promise.withResolvers<void>();
  await page.route(/\/traces\?/u, async (route) => {
    await isAnswered.promise;
    await route.fallback();
  });
  const heightOf = () => page.evaluate("document.querySelector('.rows').clientHeight");

  await page.evaluate(`location.hash = "#/traces"`);
  await page.locator(".row.waiting").first().waitFor({ state: "attached" });
  const whileLoading = await heightOf();
  isAnswered.resolve();
  await page.getByText("trace 0", { exact: true }).waitFor();
  expect(await heightOf()).toBe(whileLoading);

  isAnswered = Promise.withResolvers<void>();
  await page.getByRole("button", { name: "Failed", exact: true }).click();
  await page.locator(".row.waiting").first().waitFor({ state: "attached" });
  expect(await heightOf()).toBeGreaterThan(300);
  isAnswered.resolve();
  await page.getByText("trace 0", { exact: true }).waitFor();
  expect(faults).toEqual([]);
});
