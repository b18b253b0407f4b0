import { execFile, spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { updateOrganization } from "../../../../lib/contract/access/organizations.ts";
import { createProject } from "../../../../lib/contract/access/projects.ts";
import { createClient, type Client } from "../../../../lib/client/client.ts";
import { repository } from "../../../../infra/local/repository.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { type Person, people } from "../../../support/users.ts";

const service = inject("service");
const { organization } = people();
const browser = browserOfFile();

/** Opens the console in an empty project of an organization, as one of its members. */
const openEmpty = async (owner: Person, org_id: string, user = owner) => {
  const { id } = await owner.answer(createProject, { params: { org_id }, body: { name: "it's new" } });
  const tenant = { apiKey: "", projectName: "", bearerToken: user.token, projectId: id };
  const opened = await openConsole(browser(), { baseUrl: service.baseUrl, tenant }, "#/traces");
  await opened.page.getByText("This project has no traces yet.").waitFor();
  const client = createClient({ baseUrl: service.baseUrl, credentials: { token: user.token, projectId: id } });
  return { ...opened, client };
};

/** Shell commands by which the programs of the tabs are run without a file. */
const inlineRuns: Readonly<Record<string, string>> = {
  mjs: `"$NODE" --input-type=module -e "$CODE"`,
  mts: `"$NODE" --input-type=module-typescript -e "$CODE"`,
  py: 'python3 -c "$CODE"',
};

/** Runs what a tab shows, as it is. @returns the number of traces of the project afterwards. */
const runTab = async (page: Page, client: Client, title: string): Promise<number> => {
  const { total: before } = await client.listTraces({ query: { limit: 1 } });
  await page.getByRole("button", { name: title, exact: true }).click();
  const texts = await page.locator(".steps pre").allInnerTexts();
  const [exports = "", last = ""] = [texts[0], texts.at(-1)];
  const run = inlineRuns[/\.(\w+)$/u.exec(last)?.[1] ?? ""] ?? last;
  const env = { PATH: process.env["PATH"], NODE: process.execPath, CODE: texts.at(-2) };
  await promisify(execFile)("bash", ["-c", `set -eu\n${exports}\n${run}`], { env, cwd: repository });
  return await eventually(async () => {
    const { total } = await client.listTraces({ query: { limit: 1 } });
    return total > before ? total : undefined;
  });
};

test("an empty project shows how to send traces, makes a key in place, sees the first trace, and offers to evaluate it", async () => {
  const { id, owner } = await organization("First");
  const { page, faults, client } = await openEmpty(owner, id);
  // The list has the same text before it leads on.
  await page.waitForURL(/#\/start$/u);
  expect(await flawsInEveryLayout(page)).toEqual([]);

  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByText("Copy it now: it is not shown again.").waitFor();
  const [secret = ""] = /sk_as_\w+/u.exec((await page.locator(".steps pre").first().textContent()) ?? "") ?? [];
  expect(secret.length).toBeGreaterThan(20);
  expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toContain(secret);

  expect(await runTab(page, client, "curl")).toBe(1);
  await page.getByText("The first trace has arrived:").waitFor();
  const { items } = await client.listTraces({ query: { limit: 1 } });
  expect(items[0]?.name).toBe("support-agent");
  expect(await flawsInEveryLayout(page)).toEqual([]);

  await page.getByRole("button", { name: "Evaluate this trace" }).click();
  await page.getByText("1 trace, 1 judge call").waitFor();
  expect(await page.getByLabel("task completion").isChecked()).toBe(true);
  expect((await client.listTraceRuns({ query: {} })).total).toBe(0);
  await page.getByRole("button", { name: "Evaluate now" }).click();
  await page.getByRole("link", { name: "View run" }).click();
  await page.locator(".score-row").first().waitFor();

  await page.goBack();
  await page.getByText("Traces have arrived").or(page.getByText("The first trace has arrived")).waitFor();
  expect(await page.content()).not.toContain(secret);
  expect(faults).toEqual([]);
});

test("the programs of the tabs send traces as they are shown", async () => {
  const { id, owner } = await organization("Programs");
  const { page, client } = await openEmpty(owner, id);
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByText("Copy it now").waitFor();
  const hasPython = spawnSync("python3", ["--version"]).status === 0;

  for (const title of ["OpenTelemetry", "LangSmith", "TypeScript", ...(hasPython ? ["Python"] : [])]) {
    await runTab(page, client, title);
    const { items } = await client.listTraces({ query: { limit: 1, include: ["preview"] } });
    expect({ title, ...items[0] }).toMatchObject({ title, name: "support-agent" });
    const trace = await client.getTrace({ path: { trace_id: items[0]?.trace_id ?? "" } });
    expect([title, JSON.stringify(trace.input), trace.output]).toEqual([
      title,
      expect.stringContaining("Where is my order 1042?"),
      "It arrives tomorrow.",
    ]);
  }
});

test("a member who may not create keys is told whom to ask, and a hidden page sends no requests", async () => {
  const { id, owner, params, join } = await organization("Strict");
  const member = await join("MEMBER");
  await owner.answer(updateOrganization, { params, body: { key_makers: "OWNER" } });
  const { page, faults } = await openEmpty(owner, id, member);

  await page.getByText("Only owners of Strict can create keys").waitFor();
  expect(await page.getByRole("button", { name: "Create a key" }).count()).toBe(0);

  let requests = 0;
  page.on("request", () => (requests += 1));
  await page.evaluate("Object.defineProperty(document, 'hidden', { value: true })");
  await delay(1_000);
  requests = 0;
  await delay(5_000);
  expect([requests, faults]).toEqual([0, []]);
});
