import { readFile } from "node:fs/promises";
import { expect, inject, test } from "vitest";
import { createTrace } from "../../../../lib/contract/traces/traces.ts";
import { listProjects } from "../../../../lib/contract/access/projects.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { clientWith } from "../../../support/service/client.ts";
import { someTrace } from "../../../support/traces/traces.ts";
import { people } from "../../../support/users.ts";

const service = inject("service");
const { organization } = people();
const browser = browserOfFile();

test("a user's page exports everything of them, and deletes it once their id is typed, with the receipt beside it", async () => {
  const { owner, params } = await organization("Erasing");
  const [project] = (await owner.page(listProjects, { params })).items;
  const project_id = project?.id ?? "";
  const user_id = "Zoë/+%#\u0301 💥";
  const client = clientWith(service, { ...owner.headers, "X-Project-ID": project_id });
  const trace = someTrace({ user_id });
  await client.answer(createTrace, { body: trace });
  const tenant = { apiKey: "", projectName: "", bearerToken: owner.token, projectId: project_id };
  const address = `#/users/${encodeURIComponent(user_id)}`;
  const { page, faults } = await openConsole(browser(), { baseUrl: service.baseUrl, tenant }, address);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const lines = (await readFile(await (await download).path(), "utf8")).trim().split("\n");
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { type: "trace", trace_id: trace.trace_id, user_id },
    { type: "span", name: "lookup_order" },
  ]);

  await page.getByRole("button", { name: "Delete", exact: true }).click();
  const confirm = page.getByRole("group").getByRole("button", { name: "Delete", exact: true });
  expect(await confirm.isDisabled()).toBe(true);
  await page.getByRole("textbox", { name: "Type it to confirm" }).fill(user_id);
  expect(await flawsInEveryLayout(page)).toEqual([]);
  await confirm.click();
  await page.getByRole("status").getByText("running").waitFor();
  await page.reload();
  await page.getByRole("status").getByText("running").waitFor();
  expect(await page.getByRole("button", { name: "Delete", exact: true }).count()).toBe(0);
  expect(faults).toEqual([]);
});
