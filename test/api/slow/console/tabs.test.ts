import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { listenOnLoopback } from "../../../../infra/local/host/loopback-server.ts";
import { createClient } from "../../../../lib/client/client.ts";
import { openConsole, startBrowser } from "../../../support/browser/browser.ts";

const service = inject("service");
const { apiKey, projectName } = service.tenant;
const client = createClient({ baseUrl: service.baseUrl, credentials: { apiKey, projectName } });

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser(true);
}, 120_000);
afterAll(() => browser.close());

/** Starts a server of another origin, whose pages report whether they have a reference to the page that opened them. */
const startOtherOrigin = async () => {
  const reports = new EventEmitter();
  const server = createServer(({ url = "" }, response) => {
    if (url.startsWith("/opener/")) reports.emit("report", url);
    response.setHeader("Content-Type", "text/html").end("<script>fetch(`/opener/${window.opener !== null}`)</script>");
  });
  const { url, close } = await listenOnLoopback(server);
  return { address: `${url}/console#x`, report: async () => (await once(reports, "report"))[0] as unknown, close };
};

test("a link opened in another tab has the same session; a typed address asks to sign in", async () => {
  const { trace_id: id } = await client.createTrace({
    body: { name: "opened elsewhere", started_at: new Date().toISOString(), output: "It stands there." },
  });
  const list = `#/traces?name=${encodeURIComponent("opened elsewhere")}`;
  const { page } = await openConsole(browser, service, list);
  const link = page.locator(`a[href*="${id}"]`).first();

  for (const press of [() => link.click({ modifiers: ["ControlOrMeta"] }), () => link.click({ button: "middle" })]) {
    const [opened] = await Promise.all([page.context().waitForEvent("page"), press()]);
    await opened.getByText("It stands there.").waitFor();
    expect(page.url()).toContain(list);
  }
  const typed = await page.context().newPage();
  await typed.goto(page.url());
  await typed.getByLabel("API key").waitFor();
});

test("a click on a link to another origin in a trace is left to the browser, whatever the path of the link is", async () => {
  const address = "http://127.0.0.1:9/console#x";
  const { trace_id: id } = await client.createTrace({
    body: { name: "leads away", started_at: new Date().toISOString(), output: `See ${address}` },
  });
  const { page } = await openConsole(browser, service, `#/traces/${id}`);
  await page.evaluate(`
    const clicks = [];
    for (const name of ["click", "auxclick"])
      addEventListener(name, (event) => {
        clicks.push(event.defaultPrevented);
        event.preventDefault();
        document.title = JSON.stringify(clicks);
      });`);
  const link = page.getByRole("link", { name: address }).first();

  await link.click({ modifiers: ["ControlOrMeta"] });
  await link.click({ button: "middle" });

  expect(JSON.parse(await page.title())).toEqual([false, false]);
});

test("a page of another origin that the console opens cannot reach it", async () => {
  const elsewhere = await startOtherOrigin();
  const { page } = await openConsole(browser, service, "#/traces");

  const [report] = await Promise.all([
    elsewhere.report(),
    page.evaluate(`void window.open(${JSON.stringify(elsewhere.address)})`),
  ]);

  expect(report).toBe("/opener/false");
  await elsewhere.close();
});

test("the browser of these tests lets no page read another origin that does not allow it", async () => {
  const [first, second] = [await startOtherOrigin(), await startOtherOrigin()];
  const page = await browser.newPage();
  await page.goto(first.address);

  const read = await page.evaluate(`fetch(${JSON.stringify(second.address)}).then(() => "read", () => "refused")`);

  expect(read).toBe("refused");
  await Promise.all([first.close(), second.close()]);
});
