import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

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

test("failures differ from other bars in forced colors, whatever the system's colors are", async () => {
  const started_at = new Date().toISOString();
  for (const status of ["COMPLETED", "ERROR"] as const)
    await client.createTrace({ body: { name: randomUUID(), started_at, status } });
  await eventually(async () => {
    const query = { metric: "latency", granularity: "hour" } as const;
    const buckets = await client.getTraceAnalytics({ query });
    const isCounted = buckets.some(
      (bucket) => "error_count" in bucket && bucket.trace_count > bucket.error_count && bucket.error_count > 0,
    );
    return isCounted ? true : undefined;
  });
  const { page } = await openConsole(browser(), service, "#/traces", { forcedColors: "active" });
  await page.locator(".strip .key.tone-bad").waitFor();

  const fillOf = (tone: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector(".strip .key.tone-${tone}")).backgroundColor`);
  expect([await fillOf("bar"), await fillOf("bad")]).toEqual(["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
  // Failures at the bottom are solid, and bars are hollow above them; a line of the grid may cross one of two rows of pixels.
  const isSolid = (share: number) =>
    page.evaluate<boolean>(`(() => {
      const canvas = document.querySelector(".strip canvas");
      const [outer, inner] = [canvas, document.querySelector(".strip .u-over")].map((each) => each.getBoundingClientRect());
      const [left, top] = [inner.left - outer.left, inner.top - outer.top + inner.height * ${share}];
      const scale = canvas.width / outer.width;
      const { data } = canvas.getContext("2d").getImageData(left * scale, top * scale, inner.width * scale, 1);
      const dark = Array.from({ length: data.length / 4 }, (_, at) => (data[at * 4 + 3] === 255 && data[at * 4] < 40 ? "x" : " "));
      return /x{4}/.test(dark.join(""));
    })()`);
  await expect.poll(() => isSolid(0.97)).toBe(true);
  expect([await isSolid(0.2), await isSolid(0.27)]).toContain(false);
});

test("the color scheme is the system's until another one is chosen, which the browser keeps", async () => {
  const { page, faults } = await openConsole(browser(), service, "#/runs", { colorScheme: "light" });
  const background = () => page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
  const [light, dark] = ["rgb(255, 255, 255)", "rgb(19, 20, 23)"];
  expect(await background()).toBe(light);
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByLabel("Colors").selectOption("dark");
  expect(await background()).toBe(dark);

  await page.reload();
  await page.getByRole("button", { name: "Account" }).click();
  expect([await background(), await page.getByLabel("Colors").inputValue()]).toEqual([dark, "dark"]);
  await page.getByLabel("Colors").selectOption("system");
  expect(await background()).toBe(light);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await background()).toBe(dark);
  expect(faults).toEqual([]);
});
