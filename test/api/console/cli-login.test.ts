import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { listenOnLoopback } from "../../../infra/local/host/loopback-server.ts";
import { browserOfFile } from "../../support/browser/file-browser.ts";
import { openedBy } from "../../support/browser/page.ts";

const service = inject("service");
const { bearerToken, projectId, projectName, apiKey } = service.tenant;

const browser = browserOfFile();

/** What came to a command line's own port. */
interface Callback {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** A command line that signs in as the published one does. */
const startCommandLine = async () => {
  const [state, verifier] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
  const callback = Promise.withResolvers<Callback>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Logged in</h1>");
    if (pathname === "/callback") callback.resolve({ path: pathname, query: searchParams, headers: request.headers });
  });
  const { url, close } = await listenOnLoopback(server);
  const asked = new URLSearchParams({
    port: new URL(url).port,
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    label: "my <b>laptop</b>",
    cli_version: "0.4.1",
  });
  return {
    state,
    address: `${service.baseUrl}/cli-login?${asked.toString()}`,
    callback: callback.promise,
    exchange: async (code: string) => {
      // It sends both headers empty.
      const headers = { "Content-Type": "application/json", "X-API-Key": "", "X-Project-Name": "" };
      const body = JSON.stringify({ code, code_verifier: verifier });
      const reply = await fetch(`${service.baseUrl}/cli/auth/exchange`, { method: "POST", headers, body });
      return (await reply.json()) as Readonly<Record<string, string>>;
    },
    close: async () => {
      server.closeAllConnections();
      await close();
    },
  };
};

/** Opens an address as the owner of the first tenant, whose session this tab has. */
const openedSignedIn = async (address: string): Promise<Page> => {
  const { page } = await openedBy(browser(), `${service.baseUrl}/console#token=${bearerToken}&project=${projectId}`);
  await page.locator("header.top").waitFor();
  await page.goto(address);
  return page;
};

test("a command line opens the page, a person authorizes it, and the code that comes back makes a key that works", async () => {
  const commandLine = await startCommandLine();
  const page = await openedSignedIn(commandLine.address);

  await page.getByText("my <b>laptop</b>").waitFor();
  await page.getByText("developer@localhost").waitFor();
  await page.getByLabel("Project it begins with").selectOption(projectId);
  await page.getByRole("button", { name: "Authorize" }).click();
  const { query, headers } = await commandLine.callback;
  await page.getByText("Logged in").waitFor();
  const key = await commandLine.exchange(query.get("code") ?? "");
  await commandLine.close();

  expect(query.get("state")).toBe(commandLine.state);
  expect([...query.keys()].toSorted()).toEqual(["code", "state"]);
  expect([headers.referer, headers.authorization, headers.cookie]).toEqual([undefined, undefined, undefined]);
  expect(key).toMatchObject({ project_name: projectName });
  const own = { "X-API-Key": key["api_key"] ?? "", "X-Project-Name": projectName };
  expect((await fetch(`${service.baseUrl}/traces`, { headers: own })).status).toBe(200);
  const made = (await (await fetch(`${service.baseUrl}/projects`, { headers: own })).json()) as { items: unknown[] };
  expect(made.items).toHaveLength(1);
});

test("whoever is not signed in signs in by the issuer first, and is asked then", async () => {
  const commandLine = await startCommandLine();
  const { page } = await openedBy(browser(), commandLine.address);
  expect(page.url()).toMatch(/\/console#\/cli-login\?/u);

  await page.getByRole("button", { name: `Sign in with ${new URL(inject("oidcIssuer")).host}` }).click();
  await page.getByLabel("E-mail").fill(`${randomUUID()}@example.com`);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Authorize" }).click();
  const { query } = await commandLine.callback;
  const key = await commandLine.exchange(query.get("code") ?? "");
  await commandLine.close();

  expect(query.get("state")).toBe(commandLine.state);
  expect(key).toMatchObject({ project_name: "onboarding" });
});

test("cancelling tells the command line so, with its state and without a code", async () => {
  const commandLine = await startCommandLine();
  const page = await openedSignedIn(commandLine.address);

  await page.getByRole("button", { name: "Cancel" }).click();
  const { query } = await commandLine.callback;
  await commandLine.close();

  expect(Object.fromEntries(query)).toEqual({
    error: "access_denied",
    error_description: "The sign-in was refused.",
    state: commandLine.state,
  });
});

test("an address that leads elsewhere, or lacks what makes it safe, is refused in words and offers nothing", async () => {
  const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
  const page = await openedSignedIn(`${service.baseUrl}/console`);
  const good = { port: "4321", state: "s", code_challenge: challenge, code_challenge_method: "S256" };
  const wrong: readonly (readonly [change: Readonly<Record<string, string>>, said: string])[] = [
    [{ port: "80@example.org" }, "port"],
    [{ port: "80.example.org/" }, "port"],
    [{ port: "70000" }, "port"],
    [{ port: "0" }, "port"],
    [{ port: "1e3" }, "port"],
    [{ port: "" }, "port"],
    [{ state: "" }, "state"],
    [{ code_challenge: "short" }, "code_challenge"],
    [{ code_challenge_method: "plain" }, "code_challenge_method"],
  ];
  for (const [change, said] of wrong) {
    await page.goto(`${service.baseUrl}/cli-login?${new URLSearchParams({ ...good, ...change }).toString()}`);
    await page
      .getByRole("alert")
      .getByText(`its ${said}`)
      .or(page.getByRole("alert").getByText(`no ${said}`))
      .waitFor();
    expect(await page.getByRole("button", { name: "Authorize" }).count()).toBe(0);
  }
});

test("a key signs no command line in, and is told why", async () => {
  const commandLine = await startCommandLine();
  const { page } = await openedBy(browser(), commandLine.address);
  await page.getByLabel("API key").fill(apiKey);
  await page.getByRole("button", { name: "Sign in with the key" }).click();

  await page.getByText("A command line acts for a person").waitFor();
  expect(await page.getByRole("button", { name: "Authorize" }).count()).toBe(0);
  await commandLine.close();
});
