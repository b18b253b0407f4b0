import { randomUUID } from "node:crypto";
import { beforeAll, expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { someMetric } from "../../../support/custom-metric.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
const mark = `m${randomUUID().slice(0, 8)}`;

const browser = browserOfFile();

/** Pixels by which the end of an editor covers the fields before it, which are then too small to be touched; 0 on other pages. */
const formEndOverlap = `(() => {
  const end = document.querySelector(".editor-end");
  return end === null ? 0 : end.previousElementSibling.getBoundingClientRect().bottom - end.getBoundingClientRect().top;
})()`;

const hostile = `<img src=x onerror="document.title='run'"> </script><script>document.title='run'</script> javascript:x ‮`;

beforeAll(async () => {
  const body = { name: mark, started_at: new Date().toISOString(), input: "Hello", output: `${hostile} Hello.` };
  await client.createTrace({ body });
  const { target_type: _, ...metric } = someMetric(`${mark}_hostile`);
  await client.createOwnMetric({
    body: { name: metric.name, description: hostile, instructions: hostile, statements: [{ text: `${hostile}?` }] },
  });
  await client.updateOwnMetric({ path: { metric_name: metric.name }, body: { instructions: `${hostile} again` } });
}, 120_000);

test("errors are shown at their fields, and the input survives a reload and the end of the session", async () => {
  const { page, faults } = await openConsole(browser(), service, "#/new-metric");
  await page.getByText("Not filled in yet: name, description, statements 1: text.").waitFor();
  // No dry run of a form without input, which the service would refuse.
  expect(faults).toEqual([]);
  await page.getByLabel("Name", { exact: true }).first().fill("Not A Name");
  await page.getByRole("textbox", { name: "Question" }).fill("Did the agent decline?");
  await page.getByText("String should be lower-case letters").waitFor();
  await page.getByRole("button", { name: "Create metric" }).click();
  await page.getByRole("alert").getByText("Not saved: name, description").waitFor();
  const description = page.getByLabel(/^Description/u);
  expect(await description.getAttribute("aria-invalid")).toBe("true");
  await description.fill("Whether it declines.");
  await page.getByText(/^Advanced: scale/u).click();
  await page.getByText("each lower one needs fewer of them").waitFor();
  await page.getByLabel("Rule, as JSON").fill("[{");
  await page.getByText("Not a JSON array.").waitFor();

  await page.reload();
  expect(await description.inputValue()).toBe("Whether it declines.");
  await page.evaluate(
    `const who = JSON.parse(sessionStorage.getItem("assay-reader")); sessionStorage.setItem("assay-reader", JSON.stringify({ ...who, token: "ended" }))`,
  );
  await page.reload();
  await page.getByText("Your session has ended").waitFor();
  // Another kind of sign-in to the same project.
  await page.getByLabel("API key").fill(apiKey);
  await page.getByRole("button", { name: "Sign in with the key" }).click();
  expect(await description.inputValue()).toBe("Whether it declines.");
  // An invalid field opens the disclosure that it is in.
  await page.getByText("Not a JSON array.").waitFor();
  expect(await page.getByLabel("Rule, as JSON").inputValue()).toBe("[{");

  await page.evaluate(`location.hash = "#/metric-gallery"`);
  const item = page.getByRole("article", { name: "tone", exact: true });
  await item.getByRole("button", { name: "Open in the editor" }).click();
  await item.getByText("replaces your unsaved draft").waitFor();
  await item.getByRole("button", { name: "Cancel" }).click();
  await page.evaluate(`location.hash = "#/new-metric"`);
  expect(await description.inputValue()).toBe("Whether it declines.");
});

test("the preview says that there is no trace yet only after the traces are loaded", async () => {
  const { page } = await openConsole(browser(), service, "#/own-metrics");
  const reply = Promise.withResolvers<undefined>();
  await page.route(/\/traces\?/u, async (route) => {
    await reply.promise;
    await route.fulfill({ json: { items: [], total: 0, limit: 30, offset: 0, next_cursor: null } });
  });
  await page.evaluate(`location.hash = "#/new-metric"`);
  const preview = page.getByRole("region", { name: "Preview" });

  await preview.locator(".estimate").getByText("Loading traces …").waitFor();
  expect(await preview.getByText("There is no trace yet.").count()).toBe(0);
  reply.resolve(undefined);

  await preview.getByText("There is no trace yet.").waitFor();
  await preview.getByLabel("Trace id").waitFor();
});

test("a metric of another tool is shown before its import; hostile texts of a metric run no script, on a phone", async () => {
  const { page, faults } = await openConsole(browser(), service, "#/metric-import", {
    viewport: { width: 390, height: 800 },
  });
  const name = `${mark}_helpful`;
  await page.getByLabel(/^A prompt/u).fill(
    JSON.stringify({
      name: "Helpfulness",
      prompt: `Is {{output}} helpful? ${hostile}`,
      choice_scores: { Yes: 1, No: 0 },
    }),
  );
  await page.getByLabel("New name").fill(name);
  await page.getByRole("region", { name: "Imported metric" }).getByRole("heading", { name }).waitFor();
  await page.getByText(/^Score: 1\.0 and success: /u).waitFor();
  expect(await page.getByRole("list", { name: "Notes" }).locator("li").count()).toBeGreaterThan(0);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await page.getByRole("button", { name: "Create metric" }).click();
  await page.getByRole("link", { name: "Edit", exact: true }).waitFor();

  for (const [hash, selector] of [
    [`#/own-metrics/${mark}_hostile?against=1`, ".lines"],
    [`#/own-metrics/${mark}_hostile?edit=1`, "form.editor summary"],
    ["#/own-metrics", "article"],
    ["#/metric-gallery", "article"],
  ] as const) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.locator(selector).first().waitFor();
    expect(await page.evaluate(formEndOverlap)).toBeLessThanOrEqual(0);
    expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBeLessThanOrEqual(390);
    expect(await flawsInEveryLayout(page)).toEqual([]);
  }
  expect(await page.title()).not.toBe("run");
  expect(await page.locator("img").count()).toBe(0);
  expect(faults).toEqual([]);
});
