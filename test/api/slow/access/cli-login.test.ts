import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { Page } from "playwright-core";
import { expect, inject, test } from "vitest";
import { listenOnLoopback } from "../../../../infra/local/host/loopback-server.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { goSignedIn } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/page.ts";

const service = inject("service");
const { projectId, projectName, apiKey } = service.tenant;

const browser = browserOfFile();

/** The request that the command line's local server received. */
interface Callback {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

/** A command line that signs in like the published one. */
const startCommandLine = async () => {
  const [state, verifier] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
  const callback = Promise.withResolvers<Callback>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Logged in</h1>");
    if (pathname === "/callback") callback.resolve({ path: pathname, query: searchParams, headers: request.headers });
  });
  const { url, close } = await listenOnLoopback(server);
  const query = new URLSearchParams({
    port: new URL(url).port,
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    label: "my <b>laptop</b>",
    cli_version: "0.4.1",
  });
  return {
    state,
    address: `${service.baseUrl}/cli-login?${query.toString()}`,
    callback: callback.promise,
    exchange: async (code: string) => {
      // Both headers are empty, as the published command line sends them.
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

/** Opens an address in a tab with the session of the first tenant's owner. */
const openedSignedIn = async (address: string): Promise<Page> => {
  const page = await (await browser().newContext()).newPage();
  await goSignedIn(page, service, address.slice(service.baseUrl.length));
  return page;
};

test("a command line opens the page, a person authorizes it, and the returned code is exchanged for a key that works", async () => {
  const commandLine = await startCommandLine();
  const page = await openedSignedIn(commandLine.address);

  await page.getByText("my <b>laptop</b>").waitFor();
  await page.getByText("developer@localhost").waitFor();
  await page.getByLabel("Default project").selectOption(projectId);
  await page.getByRole("button", { name: "Authorize" }).click();
  const { query, headers } = await commandLine.callback;
  await page.getByText("Logged in").waitFor();
  const key = await commandLine.exchange(query.get("code") ?? "");
  await commandLine.close();

  expect(query.get("state")).toBe(commandLine.state);
  expect([...query.keys()].toSorted()).toEqual(["code", "state"]);
  expect([headers.referer, headers.authorization, headers.cookie]).toEqual([undefined, undefined, undefined]);
  expect(key).toMatchObject({ project_name: projectName });
  const keyHeaders = { "X-API-Key": key["api_key"] ?? "", "X-Project-Name": projectName };
  expect((await fetch(`${service.baseUrl}/traces`, { headers: keyHeaders })).status).toBe(200);
  const projects = (await (await fetch(`${service.baseUrl}/projects`, { headers: keyHeaders })).json()) as {
    items: unknown[];
  };
  expect(projects.items).toHaveLength(1);
});

test("a user who is not signed in signs in at the issuer first, and is then asked for consent", async () => {
  const commandLine = await startCommandLine();
  const { page } = await openPage(browser(), commandLine.address);
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

test("cancelling returns to the command line with its state and without a code", async () => {
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

test("an address with a foreign redirect or without its safety parameters shows an error and no form", async () => {
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
  for (const [change, message] of wrong) {
    await page.goto(`${service.baseUrl}/cli-login?${new URLSearchParams({ ...good, ...change }).toString()}`);
    await page
      .getByRole("alert")
      .getByText(`its ${message}`)
      .or(page.getByRole("alert").getByText(`no ${message}`))
      .waitFor();
    expect(await page.getByRole("button", { name: "Authorize" }).count()).toBe(0);
  }
});

test("a reader signed in by API key cannot authorize a command line, and sees the reason", async () => {
  const commandLine = await startCommandLine();
  const { page } = await openPage(browser(), commandLine.address);
  await page.getByLabel("API key").fill(apiKey);
  await page.getByRole("button", { name: "Sign in with the key" }).click();

  await page.getByText("A command line signs in as a person").waitFor();
  expect(await page.getByRole("button", { name: "Authorize" }).count()).toBe(0);
  await commandLine.close();
});
