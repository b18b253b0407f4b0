import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { createInvitation } from "../../../../lib/contract/access/invitations.ts";
import { createClient } from "../../../../lib/client/client.ts";
import { listOrganizations } from "../../../../lib/contract/access/organizations.ts";
import { listProjects } from "../../../../lib/contract/access/projects.ts";
import { flawsInEveryLayout } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { type Person, people } from "../../../support/users.ts";

const service = inject("service");
const { organization, person } = people();

const browser = browserOfFile();

/** The settings page of a user; `org` is an organization that the user belongs to. */
const settingsOf = async (user: Person, org: string, options: BrowserContextOptions = {}) => {
  const { items } = await user.page(listProjects, { params: { org_id: org } });
  const tenant = { apiKey: "", projectName: "", bearerToken: user.token, projectId: items[0]?.id ?? "" };
  const opened = await openConsole(browser(), { baseUrl: service.baseUrl, tenant }, "#/settings", options);
  await opened.page.getByRole("region", { name: "Audit" }).getByRole("heading").waitFor();
  // A list that arrives moves what is below it: a click at that moment goes nowhere.
  await opened.page.locator('main section[aria-busy="true"]').first().waitFor({ state: "detached" });
  return opened;
};

const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** The status of a list of traces with a key. */
const statusOf = async (apiKey: string): Promise<number> => {
  const headers = { "X-API-Key": apiKey, "X-Project-Name": "onboarding" };
  return (await fetch(`${service.baseUrl}/traces`, { headers })).status;
};

test("an owner creates a project and a key by keyboard only, sees the key once, and revokes it", async () => {
  const { id, owner } = await organization("Keyboard");
  const { page, faults } = await settingsOf(owner, id);
  const keys = part(page, "API keys");

  await part(page, "Projects").getByLabel("New project").focus();
  await page.keyboard.type("till");
  await page.keyboard.press("Enter");
  await part(page, "Projects").getByText("till is created.").waitFor();
  await page.locator("header.top option", { hasText: /till$/u }).waitFor({ state: "attached" });
  await keys.getByLabel("Key name").focus();
  await page.keyboard.type("reader");
  await page.keyboard.press("Enter");
  const raw = (await keys.locator("pre").textContent()) ?? "";
  expect(await statusOf(raw)).toBe(200);
  expect(await keys.getByRole("row", { name: /reader.*read.*every project/u }).count()).toBe(1);

  await page.reload();
  await keys.getByText("reader", { exact: true }).waitFor();
  expect(await page.content()).not.toContain(raw);
  await keys.getByRole("button", { name: "Revoke" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await keys.getByText("reader is revoked").waitFor();
  await expect.poll(() => statusOf(raw)).toBe(401);
  expect(faults.filter((fault) => !fault.includes("401"))).toEqual([]);
});

test("settings ask for each thing once, also for what the header shows", async () => {
  const { id, owner } = await organization("Once");
  const { page } = await settingsOf(owner, id);
  const project = page.locator(".who option", { hasText: "Once" }).first();
  await project.waitFor({ state: "attached" });
  // The page before the reload sends no more requests.
  await expect.poll(() => page.locator('main section[aria-busy="true"]').count()).toBe(0);
  const requests: string[] = [];
  page.on("request", (request) => {
    if (!request.url().includes("/console")) requests.push(request.url());
  });

  await page.reload();
  await part(page, "Audit").locator("tbody tr").first().waitFor();
  await project.waitFor({ state: "attached" });
  await page.waitForLoadState("networkidle");

  expect(requests.length).toBeGreaterThan(10);
  expect(requests.filter((url, index) => requests.indexOf(url) !== index)).toEqual([]);
});

test("a deleted project leaves a receipt and an audit entry, and a rotated key shows its successor once", async () => {
  const { id, owner } = await organization("Receipts");
  const { page } = await settingsOf(owner, id);

  await part(page, "API keys").getByLabel("Key name").fill("exporter");
  await part(page, "API keys").getByLabel("Access").selectOption("ingest");
  await part(page, "API keys").getByRole("button", { name: "Create key" }).click();
  await part(page, "API keys").getByRole("button", { name: "Done" }).click();
  await part(page, "API keys").getByRole("button", { name: "Rotate" }).click();
  await part(page, "API keys").locator("pre").waitFor();
  await part(page, "API keys").locator("tbody tr").nth(1).waitFor();
  await part(page, "Projects").getByRole("button", { name: "Delete" }).click();
  await part(page, "Projects").getByRole("button", { name: "Cancel" }).click();
  await part(page, "Projects").getByRole("button", { name: "Delete" }).click();
  await part(page, "Projects").locator("button.danger").click();
  await part(page, "Projects").getByText("onboarding is deleted").waitFor();
  await page.reload();

  await part(page, "Deletions").getByText("onboarding").waitFor();
  await part(page, "Audit").getByText("project deleted").waitFor();
  await part(page, "Audit").getByText("api key rotated").waitFor();
  expect(await part(page, "Deletions").locator("tbody tr").count()).toBe(1);
  expect(await part(page, "Projects").locator("tbody tr").count()).toBe(0);
});

test("actions that a role may not do are not offered, with a note which role may", async () => {
  const { id, join } = await organization("Roles");
  const [admin, member] = [await join("ADMIN"), await join("MEMBER")];
  const [ofAdmin, ofMember] = await Promise.all([settingsOf(admin, id), settingsOf(member, id)]);
  const counts = async (page: Page) => ({
    projects: await part(page, "Projects").getByRole("button", { name: "Create" }).count(),
    deletions: await part(page, "Projects").getByRole("button", { name: "Delete" }).count(),
    invites: await part(page, "Invitations").getByRole("button", { name: "Invite" }).count(),
    roles: await part(page, "Members").getByRole("combobox").count(),
    removals: await part(page, "Members").getByRole("button", { name: "Remove" }).count(),
    leaving: await part(page, "Members").getByRole("button", { name: "Leave" }).count(),
    keys: await part(page, "API keys").getByRole("button", { name: "Create key" }).count(),
  });
  for (const { page } of [ofAdmin, ofMember]) await part(page, "Members").locator("tbody tr").nth(2).waitFor();

  expect(await counts(ofAdmin.page)).toEqual({
    projects: 1,
    deletions: 0,
    invites: 1,
    roles: 0,
    removals: 1,
    leaving: 1,
    keys: 1,
  });
  expect(await counts(ofMember.page)).toEqual({
    projects: 0,
    deletions: 0,
    invites: 0,
    roles: 0,
    removals: 0,
    leaving: 1,
    keys: 1,
  });
  await part(ofMember.page, "Audit").getByText("Only admins and owners can read the audit log.").waitFor();
  await part(ofMember.page, "Invitations").getByText("Only admins and owners can invite.").waitFor();
  // The pages sent no request that was refused.
  expect([ofAdmin.faults, ofMember.faults]).toEqual([[], []]);
});

test("an owner invites a labeller, makes a member one and creates a key for labelling, and a labeller is shown no settings that are refused", async () => {
  const { id, owner, join } = await organization("Labels");
  const labeller = await join("LABELLER");
  const { page, faults } = await settingsOf(owner, id);
  const [keys, invitations, members] = [part(page, "API keys"), part(page, "Invitations"), part(page, "Members")];

  await keys.getByLabel("Key name").fill("queue");
  await keys.getByLabel("Access").selectOption("label");
  await keys.getByRole("button", { name: "Create key" }).click();
  await keys.getByRole("row", { name: /queue.*label.*every project/u }).waitFor();
  await invitations.getByLabel("E-mail address").fill(`${randomUUID()}@example.com`);
  await invitations.getByLabel("As").selectOption("LABELLER");
  await invitations.getByRole("button", { name: "Invite" }).click();
  await invitations.locator("tbody tr").getByText("labeller").waitFor();
  await members.getByRole("combobox").selectOption("MEMBER");
  await members.getByText("is now member.").waitFor();
  await members.getByRole("combobox").selectOption("LABELLER");
  await members.getByText("is now labeller.").waitFor();

  const ownOrganization = (await labeller.page(listOrganizations)).items.find(({ role }) => role === "OWNER")?.id ?? "";
  const projectId = (await labeller.page(listProjects, { params: { org_id: ownOrganization } })).items[0]?.id ?? "";
  const tenant = { apiKey: "", projectName: "", bearerToken: labeller.token, projectId };
  const opened = await openConsole(browser(), { baseUrl: service.baseUrl, tenant }, `#/settings?org=${id}`);
  await opened.page.getByText("You are its labeller").waitFor();
  await part(opened.page, "Projects").getByText("onboarding", { exact: true }).waitFor();
  await opened.page.waitForLoadState("networkidle");

  expect(await part(opened.page, "API keys").count()).toBe(0);
  expect([faults, opened.faults]).toEqual([[], []]);
});

test("text that is typed while the page loads is kept, and the organization is requested at most once", async () => {
  const { id, owner } = await organization("Hasty");
  const { items } = await owner.page(listProjects, { params: { org_id: id } });
  const tenant = { apiKey: "", projectName: "", bearerToken: owner.token, projectId: items[0]?.id ?? "" };
  const { page } = await openConsole(browser(), { baseUrl: service.baseUrl, tenant }, "#/traces");
  // The list of the projects requests organizations, too.
  await page.locator("header.top option", { hasText: "Hasty /" }).waitFor({ state: "attached" });
  let requestCount = 0;
  await page.route(/\/organizations/u, async (route) => {
    if (/\/organizations(?:\?|$)/u.test(route.request().url())) requestCount += 1;
    await delay(500);
    await route.continue();
  });
  await page.evaluate(`location.hash = "#/settings"`);
  const name = part(page, "API keys").getByLabel("Key name");
  await name.fill("a key");

  await page.waitForURL(/[?&]org=/u);
  await page.locator('section[aria-label="Audit"][aria-busy="false"]').waitFor();

  // The header may have requested the organizations just before.
  expect(requestCount).toBeLessThanOrEqual(1);
  expect(await name.inputValue()).toBe("a key");
});

test("an owner sends and withdraws an invitation, and a pending one is accepted by its recipient", async () => {
  const { id, owner, params } = await organization("Inviting");
  const { page } = await settingsOf(owner, id);
  const [address, guest] = [`${randomUUID()}@example.com`, await person("Gina")];

  await part(page, "Invitations").getByLabel("E-mail address").fill(address);
  await part(page, "Invitations").getByLabel("As").selectOption("ADMIN");
  await part(page, "Invitations").getByRole("button", { name: "Invite" }).click();
  await part(page, "Invitations").getByRole("button", { name: "Withdraw" }).click();
  // An open confirmation takes the focus only once, so typing elsewhere keeps the focus there.
  await part(page, "Invitations").getByLabel("E-mail address").fill(`${randomUUID()}@example.com`);
  await page.keyboard.press("Enter");
  await part(page, "Invitations").getByText("finds the invitation here").last().waitFor();
  expect(await page.evaluate("document.activeElement.type")).toBe("email");
  await part(page, "Invitations").locator("button.danger").click();
  await part(page, "Invitations").getByText("revoked").waitFor();

  await owner.answer(createInvitation, { params, body: { email: guest.email, role: "MEMBER" } });
  const tenant = { apiKey: "", projectName: "", bearerToken: guest.token, projectId: "" };
  const { page: guestPage } = await openConsole(browser(), { baseUrl: service.baseUrl, tenant }, "#/settings");
  await guestPage.getByRole("button", { name: "Accept the invitation to Inviting" }).click();
  await guestPage.getByText("You are now a member of Inviting.").waitFor();
  await guestPage.locator("main").getByLabel("Organization").selectOption({ label: "Inviting" });
  await guestPage.getByText("You are its member").waitFor();
  await part(guestPage, "Members").getByText(guest.email).waitFor();
  expect(await part(guestPage, "Invitations to you").locator("tbody tr").count()).toBe(0);
});

test("the month's cost of judging is shown with its runs", async () => {
  const { id, owner } = await organization("Spending");
  const { items } = await owner.page(listProjects, { params: { org_id: id } });
  const projectId = items[0]?.id ?? "";
  const client = createClient({ baseUrl: service.baseUrl, credentials: { token: owner.token, projectId } });
  const { trace_id: traceId } = await client.createTrace({
    body: { name: "asked", started_at: new Date().toISOString(), input: "Hello", output: "Hi" },
  });
  for (let count = 0; count < 2; count += 1)
    await client.createTraceBatchRun({ body: { trace_ids: [traceId], metrics: ["task_completion"] } });

  const { page } = await settingsOf(owner, id);

  const spendLine = part(page, "Spend").getByText("for judging in this project");
  await spendLine.waitFor();
  expect(await spendLine.textContent()).toContain("2 runs created in");
});

test("a reader signed in by API key sees the projects of the key, and that other settings need a user", async () => {
  const { tenant } = service;
  const { page, faults } = await openConsole(browser(), service, "#/settings");
  await page.evaluate(
    `sessionStorage.setItem("assay-reader", ${JSON.stringify(JSON.stringify({ kind: "key", apiKey: tenant.apiKey, projectName: tenant.projectName, access: "full" }))})`,
  );
  await page.reload();

  await page.getByText("You are signed in with an API key.").waitFor();
  await part(page, "Projects of this key").getByText(tenant.projectName, { exact: true }).waitFor();
  expect(await page.getByRole("region").count()).toBe(3);
  expect(faults).toEqual([]);
});

test("sign-in, consent and settings are accessible in both color schemes and at every width", async () => {
  const { id, owner } = await organization("Access");
  const { page } = await settingsOf(owner, id);
  const check = async () => expect(await flawsInEveryLayout(page)).toEqual([]);

  await part(page, "API keys").getByLabel("Key name").fill("a key");
  await part(page, "API keys").getByRole("button", { name: "Create key" }).click();
  await part(page, "API keys").locator("pre").waitFor();
  await part(page, "Projects").getByRole("button", { name: "Delete" }).click();
  await check();
  await page.goto(`${service.baseUrl}/cli-login?port=4321&state=s&code_challenge=${"a".repeat(43)}&label=laptop`);
  await page.getByRole("button", { name: "Authorize" }).waitFor();
  await check();
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
  await check();
});
