import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { goSignedIn } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/page.ts";

const service = inject("service");
const issuer = inject("oidcIssuer");
const { apiKey } = service.tenant;
const address = `${service.baseUrl}/console`;

const browser = browserOfFile();

const newEmail = (): string => `${randomUUID().slice(0, 8)}@example.com`;

/** Submits the issuer's form. */
const answer = async (page: Page, email: string, button = "Continue"): Promise<void> => {
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: button }).click();
};

const begin = (page: Page) => page.getByRole("button", { name: `Sign in with ${new URL(issuer).host}` }).click();

const storage = async (page: Page): Promise<Record<string, string>> =>
  JSON.parse(await page.evaluate<string>("JSON.stringify({ ...sessionStorage })")) as Record<string, string>;

test("a user signs in at the issuer and returns to the same page, and no sign-in parameters stay in the address or history", async () => {
  const { page, faults, requests } = await openPage(browser(), `${address}#/runs`);

  await begin(page);
  await answer(page, newEmail());

  await page.getByRole("button", { name: "New run …" }).waitFor();
  expect(page.url()).toBe(`${address}#/runs`);
  expect(Object.keys(await storage(page)).toSorted()).toEqual(["assay-project", "assay-reader"]);
  expect(await page.context().cookies()).toEqual([]);
  const origins = new Set(requests.map((url) => new URL(url).origin));
  expect([...origins].toSorted()).toEqual([new URL(issuer).origin, new URL(service.baseUrl).origin].toSorted());
  await page.reload();
  await page.getByRole("button", { name: "New run …" }).waitFor();
  expect(faults).toEqual([]);
});

test("a code is refused without the verifier of its challenge, and the page reports the issuer's refusal", async () => {
  const { page } = await openPage(browser(), address);
  await begin(page);
  await page.getByLabel("E-mail").waitFor();
  const callback = page.waitForRequest((request) => request.url().startsWith(`${issuer}/token`));
  await page.route(`${issuer}/token`, async (route) => {
    const body = new URLSearchParams(route.request().postData() ?? "");
    body.set("code_verifier", "x".repeat(43));
    await route.continue({ postData: body.toString() });
  });

  await answer(page, newEmail());
  await callback;

  await page.getByRole("alert").getByText("refused the sign-in (invalid_grant: PKCE failed)").waitFor();
  expect((await storage(page))["assay-reader"]).toBeUndefined();
});

test("sign-in replies that this tab did not request are ignored, both forged and used ones", async () => {
  const { page } = await openPage(browser(), `${address}?code=stolen&state=guessed`);

  await page.getByRole("alert").getByText("was not started in this tab").waitFor();
  expect(page.url()).toBe(`${address}#/traces`);
  await begin(page);
  await page.getByLabel("E-mail").waitFor();
  await page.goto(`${address}?code=stolen&state=guessed`);
  await page.getByRole("alert").getByText("was not started in this tab").waitFor();
  expect(await storage(page)).toEqual({});
});

test("a token that was issued for another sign-in is ignored", async () => {
  const { page } = await openPage(browser(), address);
  await page.route(`${issuer}/authorize?*`, async (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set("nonce", "another");
    await route.continue({ url: url.href });
  });

  await begin(page);
  await page.getByLabel("E-mail").waitFor();
  await answer(page, newEmail());

  await page.getByRole("alert").getByText("token is for another sign-in").waitFor();
  expect((await storage(page))["assay-reader"]).toBeUndefined();
});

test("a refusal by the issuer is shown, and another attempt succeeds", async () => {
  const { page } = await openPage(browser(), address);

  await begin(page);
  await answer(page, newEmail(), "Refuse");
  await page.getByRole("alert").getByText("The sign-in was refused: access_denied").waitFor();
  await begin(page);
  await answer(page, newEmail());

  await page.getByRole("heading", { name: "Traces" }).waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("an expired token shows a message, and signing in again returns to the same page and project", async () => {
  const { page } = await openPage(browser(), `${address}#/metrics?days=90`);
  const email = newEmail();
  await begin(page);
  await answer(page, email);
  await page.getByRole("heading", { name: "Metrics" }).waitFor();
  // The project's name is stored when it is read.
  await expect.poll(() => page.getByLabel("Project").inputValue()).not.toBe("");
  await page.waitForLoadState("networkidle");
  const before = await page.getByLabel("Project").inputValue();
  await page.evaluate(
    "sessionStorage.setItem('assay-reader', JSON.stringify({ ...JSON.parse(sessionStorage.getItem('assay-reader')), token: 'ended' }))",
  );
  await page.reload();

  await page.getByText("Your session has ended").waitFor();
  await begin(page);
  await answer(page, email);

  await page.getByRole("heading", { name: "Metrics" }).waitFor();
  expect(page.url()).toBe(`${address}#/metrics?days=90`);
  expect(await page.getByLabel("Project").inputValue()).toBe(before);
});

test("a key is enough to sign in: its projects are read from the service", async () => {
  const { page, faults } = await openPage(browser(), address);

  await page.getByText("A read-only key is enough").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type(apiKey);
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { name: "Traces" }).waitFor();
  expect(faults).toEqual([]);
});

test.each(["/console", "/cli-login"])(
  "a token in the address of %s signs nobody in, and replaces no session",
  async (path) => {
    const { bearerToken, projectId } = service.stranger;
    const forged = `${service.baseUrl}${path}#token=${bearerToken}&project=${projectId}`;
    const { page } = await openPage(browser(), forged);

    await page.getByLabel("API key").waitFor();
    expect(await storage(page)).toEqual({});
    expect(page.url()).not.toContain(bearerToken);

    await page.goto("about:blank");
    await goSignedIn(page, service, "/console#/runs");
    await page.getByRole("button", { name: "New run …" }).waitFor();
    await page.goto(forged.replace("#", "?again#"));
    await page.locator("header.top").waitFor();
    expect((await storage(page))["assay-reader"]).toContain(service.tenant.bearerToken);
  },
);

test("signing out ends the session here at once, and then at the issuer", async () => {
  const { page, requests } = await openPage(browser(), address);
  await begin(page);
  await answer(page, newEmail());
  await page.getByRole("heading", { name: "Traces" }).waitFor();
  const ended = page.waitForRequest((request) => request.url().startsWith(`${issuer}/logout?`));

  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();

  const { searchParams } = new URL((await ended).url());
  expect(searchParams.get("post_logout_redirect_uri")).toBe(address);
  await page.getByLabel("API key").waitFor();
  await page.waitForURL(address);
  expect((await storage(page))["assay-reader"]).toBeUndefined();
  expect(requests.filter((url) => url.startsWith(`${issuer}/logout`))).toHaveLength(1);
});

test("where the issuer cannot be reached, signing out ends the session here and says so", async () => {
  const { page } = await openPage(browser(), address);
  await begin(page);
  await answer(page, newEmail());
  await page.getByRole("heading", { name: "Traces" }).waitFor();
  await page.route(`${issuer}/.well-known/openid-configuration`, (route) => route.abort());

  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();

  await page.getByText("maybe not at the issuer").waitFor();
  expect((await storage(page))["assay-reader"]).toBeUndefined();
});
