import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { developerEmail } from "../../../../infra/local/bearer-token.ts";
import { listOrganizations } from "../../../../lib/contract/access/organizations.ts";
import { getMe } from "../../../../lib/contract/access/me.ts";
import { createTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { startBrowser } from "../../../support/browser/browser.ts";
import { openPage } from "../../../support/browser/page.ts";
import { clientWith, type Headers, send } from "../../../support/service/client.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";

let service: RunningService;

beforeAll(async () => {
  service = await startService({ noSignIn: true });
});

afterAll(() => service.close());

const me = (headers: Headers = {}) => clientWith(service, headers).call(getMe);

test("without sign-in, a local call without a credential is the developer's", async () => {
  const nobody = clientWith(service, { "X-Project-ID": service.tenant.projectId });
  const { trace_id } = await nobody.answer(createTrace, {
    body: { name: "a", started_at: new Date().toISOString() },
  });

  expect(await nobody.answer(getMe)).toMatchObject({ email: developerEmail, display_name: "Local Developer" });
  expect((await nobody.page(listOrganizations)).total).toBe(1);
  expect((await nobody.answer(listTraces)).items.map((trace) => trace.trace_id)).toEqual([trace_id]);
  expect((await me({ Origin: "http://localhost:3000", "Sec-Fetch-Site": "same-site" })).status).toBe(200);
});

test.each<[string, Headers]>([
  ["a page of another origin", { Origin: "https://evil.example" }],
  ["a page with an opaque origin", { Origin: "null" }],
  ["a link of another page", { "Sec-Fetch-Site": "cross-site" }],
  ["a request that a proxy forwarded", { "X-Forwarded-For": "203.0.113.9" }],
  ["a request that a proxy forwarded over TLS", { "X-Forwarded-Proto": "https" }],
  ["a request with the standard header of proxies", { Forwarded: "for=203.0.113.9" }],
  ["a request through a gateway", { Via: "1.1 gateway" }],
  ["a request through a tunnel", { "CF-Connecting-IP": "203.0.113.9" }],
  ["a foreign host name that resolves to this machine", { Host: "evil.example:4000" }],
  ["a wrong token", { Authorization: "Bearer wrong" }],
  ["a wrong key", { "X-API-Key": "sk_as_wrong" }],
])("%s is refused all the same", async (_, headers) => {
  expect((await me(headers)).status).toBe(401);
});

test("a credential takes precedence over the developer's identity", async () => {
  const { stranger } = service;
  const developer = await me();
  const strangerReply = await me({ Authorization: `Bearer ${stranger.bearerToken}` });

  expect(strangerReply.status).toBe(200);
  expect(Object(strangerReply.body).id).not.toBe(Object(developer.body).id);
  const path = "/nowhere";
  expect((await send(service, { method: "GET", path })).status).toBe(404);
});

test("the address that npm start prints signs in once, and a signed-in tab is asked first", async () => {
  const { stack, tenant } = service;
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const address = stack.signInAddress();
  const { page } = await openPage(browser, address);

  await page.getByRole("heading", { name: "Traces" }).waitFor();
  expect(page.url()).toBe(`${service.baseUrl}/console#/traces`);
  const session = await page.evaluate(`sessionStorage.getItem("assay-reader")`);
  expect(JSON.parse(String(session))).toMatchObject({ kind: "token", projectId: tenant.projectId });

  const { page: laterPage } = await openPage(browser, address);
  await laterPage.getByRole("alert").getByText("This address was used before").waitFor();
  expect(await laterPage.evaluate(`sessionStorage.getItem("assay-reader")`)).toBeNull();

  const questions: string[] = [];
  page.on("dialog", (dialog) => {
    questions.push(dialog.message());
    void dialog.dismiss();
  });
  const unused = stack.signInAddress();
  await page.goto(unused.replace("#", "?again#"));
  await page.getByRole("heading", { name: "Traces" }).waitFor();
  expect(questions).toEqual([expect.stringContaining("This tab is signed in")]);
  expect(await page.evaluate(`sessionStorage.getItem("assay-reader")`)).toBe(session);
});

test("a one-time value is exchanged by pages of this machine alone", async () => {
  const value = (): string => service.stack.signInAddress().split("once=")[1] ?? "";
  const exchange = (body: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${service.baseUrl}/local-sign-in`, { method: "POST", body, headers });
  const firstValue = value();

  expect((await exchange(firstValue, { Origin: "https://evil.example" })).status).toBe(401);
  expect((await exchange(firstValue, { "X-Forwarded-For": "203.0.113.9" })).status).toBe(401);
  expect((await exchange("guessed")).status).toBe(401);
  const reply = await exchange(firstValue);
  expect([reply.status, reply.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect((await exchange(firstValue)).status).toBe(401);
});
