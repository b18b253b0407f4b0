import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { goSignedIn, openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { openPage } from "../../../support/browser/page.ts";

const service = inject("service");
const { apiKey } = service.tenant;
const browser = browserOfFile();

/** Creates a trace in a new project. */
const traceElsewhere = async () => {
  const projectName = `linked-${randomUUID().slice(0, 8)}`;
  const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
  const { trace_id: id } = await client.createTrace({
    body: { name: "elsewhere", started_at: new Date().toISOString() },
  });
  const { project_id: project } = await client.getTrace({ path: { trace_id: id } });
  return { id, project, projectName };
};

const displayedProject = (page: Page, name: string): Promise<void> =>
  page.getByLabel("Project").locator("option:checked", { hasText: name }).waitFor({ state: "attached" });

test("a link of a notification opens its page in the project that it names", async () => {
  const { id, project, projectName } = await traceElsewhere();
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}?project=${project}`);

  await page.getByRole("heading", { name: "elsewhere" }).waitFor();

  await displayedProject(page, projectName);
  expect(new URL(page.url()).hash).toBe(`#/traces/${id}`);
  expect(faults).toEqual([]);
});

test("a copied link opens its trace in a tab that shows another project and has not heard of that one yet", async () => {
  const { page, faults } = await openConsole(browser(), service, "#/traces");
  await page.getByLabel("Project").locator("option").nth(1).waitFor({ state: "attached" });
  const { id, project, projectName } = await traceElsewhere();
  const tenant = { ...service.tenant, projectId: project };
  const other = await openConsole(browser(), { ...service, tenant }, `#/traces/${id}?view=timeline`);
  // A page of the packaged browser has no clipboard.
  await other.page.evaluate(
    "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copiedText = text; } } })",
  );
  await other.page.getByRole("button", { name: "Copy link" }).click();
  await other.page.getByText("Copied").waitFor();
  const link = await other.page.evaluate<string>("window.copiedText");

  await page.goto(link);
  await page.getByRole("heading", { name: "elsewhere" }).waitFor();

  await displayedProject(page, projectName);
  expect(new URL(page.url()).hash).toBe(`#/traces/${id}?view=timeline`);
  expect([faults, other.faults]).toEqual([[], []]);
});

test("a trace that is not found is reported with the project that was searched", async () => {
  const { page } = await openConsole(browser(), service, `#/traces/${randomUUID()}`);

  const alert = page.getByRole("alert");
  await alert.getByText(`not found. The project ${service.tenant.projectName} was searched.`).waitFor();
  expect(await alert.count()).toBe(1);
});

test("projects that could not be listed are listed again", async () => {
  const { page } = await openPage(browser(), `${service.baseUrl}/console`);
  await page.route(/\/projects\?/u, (route) => route.fulfill({ status: 500, json: { detail: "Once." } }), { times: 1 });
  await goSignedIn(page, service, "/console?again#/traces");

  await displayedProject(page, service.tenant.projectName);
  expect(await page.getByLabel("Project").inputValue()).toBe(service.tenant.projectId);
});

test("a link opens in the project of an API key if the list of projects cannot be read", async () => {
  const { id, project, projectName } = await traceElsewhere();
  const { page } = await openPage(browser(), `${service.baseUrl}/console`);
  const viewer = JSON.stringify({ kind: "key", apiKey, projectName, access: null });
  await page.evaluate(`sessionStorage.setItem("assay-reader", ${JSON.stringify(viewer)})`);
  await page.route(/\/projects\?/u, (route) => route.fulfill({ status: 403, json: { detail: "Not for this key." } }));

  await page.goto("about:blank");
  await page.goto(`${service.baseUrl}/console#/traces/${id}?project=${project}`);

  await page.getByRole("heading", { name: "elsewhere" }).waitFor();
  expect(new URL(page.url()).hash).toBe(`#/traces/${id}`);
});
