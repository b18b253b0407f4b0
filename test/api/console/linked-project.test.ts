import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createClient } from "../../../lib/client/client.ts";
import { openConsole } from "../../support/browser/browser.ts";
import { browserOfFile } from "../../support/browser/file-browser.ts";

const service = inject("service");
const { apiKey } = service.tenant;
const browser = browserOfFile();

test("a link of a notification opens its page in the project that it names", async () => {
  const projectName = `linked-${randomUUID().slice(0, 8)}`;
  const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });
  const { trace_id: id } = await client.createTrace({
    body: { name: "elsewhere", started_at: new Date().toISOString() },
  });
  const { project_id: project } = await client.getTrace({ path: { trace_id: id } });
  const { page, faults } = await openConsole(browser(), service, `#/traces/${id}?project=${project}`);

  await page.getByRole("heading", { name: "elsewhere" }).waitFor();

  const selection = page.getByLabel("Project").locator("option:checked", { hasText: projectName });
  await selection.waitFor({ state: "attached" });
  expect(new URL(page.url()).hash).toBe(`#/traces/${id}`);
  expect(faults).toEqual([]);
});
