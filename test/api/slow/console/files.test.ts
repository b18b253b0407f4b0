import { expect, inject, test } from "vitest";
import { createClient } from "../../../../lib/client/client.ts";
import { getConsole, getCliLogin } from "../../../../lib/contract/service.ts";
import { flawsOf } from "../../../support/browser/accessibility.ts";
import { openConsole } from "../../../support/browser/browser.ts";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { openPage } from "../../../support/browser/page.ts";
import { minCompressedBytes } from "../../../../lib/http/documents/compression.ts";
import { rawReply } from "../../../support/service/raw-reply.ts";

const service = inject("service");
const issuer = inject("oidcIssuer");
const browser = browserOfFile();

const get = (path: string, headers: Readonly<Record<string, string>> = {}) => rawReply(service, path, headers);

/** Returns the addresses of the files that the document names. */
const addressesIn = async (path: string): Promise<readonly string[]> =>
  Array.from((await get(path)).text.matchAll(/(?:href|src)="([^"]+)"/gu), ([, address = ""]) => address);

/** Returns the address of the script of a page, which the entry names. */
const scriptOf = async (page: string): Promise<string> => {
  const entry = (await addressesIn(getConsole.path)).find((address) => address.includes("/app-")) ?? "";
  const [name] = new RegExp(String.raw`\b${page}-\w{8}\.js`, "u").exec((await get(`/${entry}`)).text) ?? [];
  return `/console/assets/${name}`;
};

test("the files of the console are public, immutable, compressed, and answered 304 for their ETag", async () => {
  const addresses = [...(await addressesIn(getConsole.path)).map((address) => `/${address}`), await scriptOf("trace")];

  expect(await addressesIn(getCliLogin.path)).toEqual(await addressesIn(getConsole.path));
  expect(addresses.length).toBeGreaterThan(3);
  for (const address of addresses) {
    const { status, headers, text } = await get(address, { "Accept-Encoding": "br" });
    const media = address.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
    expect({ address, status, ...headers }).toMatchObject({
      address,
      status: 200,
      "content-type": media,
      "cache-control": "public, max-age=31536000, immutable",
      ...(text.length >= minCompressedBytes && { "content-encoding": "br" }),
      "x-content-type-options": "nosniff",
      vary: "Accept-Encoding, Origin",
    });
    const unchanged = await get(address, { "If-None-Match": String(headers["etag"]) });
    expect([unchanged.status, unchanged.text, unchanged.headers["cache-control"]]).toEqual([
      304,
      "",
      headers["cache-control"],
    ]);
    expect((await get(address)).text).toBe(text);
  }
});

test.each(["app.js", "trace-00000000.js", "..%2Findex.mjs", "%2e%2e%2f%2e%2e%2fpackage.json", "__proto__", "%00"])(
  "a file that the console does not have is not found: %s",
  async (name) => {
    const { status, headers, text } = await get(`/console/assets/${name}`);

    expect([status, headers["content-type"]]).toEqual([404, "application/json"]);
    expect(JSON.parse(text)).toMatchObject({ code: "not_found", request_id: headers["x-request-id"] });
    expect(headers["cache-control"] ?? "").not.toContain("immutable");
  },
);

test("the console's policy is a header: its own scripts and style, and requests to the service and its issuers", async () => {
  const replies = await Promise.all([getConsole.path, getCliLogin.path].map((path) => get(path)));

  for (const { headers, text } of replies) {
    expect(text).not.toMatch(/http-equiv/iu);
    expect(headers).toMatchObject({ "cache-control": "no-cache", "cross-origin-opener-policy": "same-origin" });
    expect(String(headers["content-security-policy"]).split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `connect-src 'self' ${new URL(issuer).origin}`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
  }
});

test("a page whose file is missing after a deployment says so, and reloading opens it at the same place", async () => {
  const { page, faults } = await openConsole(browser(), service, "#/traces");
  await page.getByRole("heading", { name: "Traces", exact: true }).waitFor();
  const refusal = JSON.stringify({ detail: "Unknown file of the console.", code: "not_found" });
  await page.route(/\/assets\/monitors-\w{8}\.js$/u, (route) =>
    route.fulfill({ status: 404, contentType: "application/json", body: refusal }),
  );
  expect(faults).toEqual([]);
  expect(await page.getByText("has not started").count()).toBe(0);

  await page.getByRole("link", { name: "Monitors" }).click();
  await page.getByRole("alert").getByText("This page could not be loaded").waitFor();
  expect(await flawsOf(page)).toEqual([]);
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  await page.goBack();
  await page.unrouteAll();
  await page.getByRole("button", { name: "Reload" }).click();

  await page.getByRole("heading", { name: "Monitors", exact: true }).waitFor();
  expect(page.url()).toBe(`${service.baseUrl}/console#/monitors`);
});

test("a dialog whose file is missing after a deployment says so on the page that opens it", async () => {
  const trace = await createClient({ baseUrl: service.baseUrl, credentials: service.tenant }).createTrace({
    body: { name: "agent", started_at: new Date().toISOString() },
  });
  const { page } = await openConsole(browser(), service, `#/traces/${trace.trace_id}`);
  await page.route(/\/assets\/evaluate-dialog-\w{8}\.js$/u, (route) => route.fulfill({ status: 404, body: "" }));
  await page.getByRole("button", { name: "Evaluate …" }).click();

  await page.getByRole("alert").getByText("This part of the page could not be loaded").waitFor();
  expect(await flawsOf(page)).toEqual([]);
  await page.unrouteAll();
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("button", { name: "Evaluate …" }).click();
  await page.getByRole("dialog", { name: "Evaluate 1 trace" }).waitFor();
});

test.each([/\/assets\/app-\w{8}\.js$/u, /\/assets\/chunk-\w{8}\.js$/u])(
  "a console that cannot start is not a blank page: without %s",
  async (missing) => {
    const { page } = await openPage(browser(), "about:blank");
    await page.route(missing, (route) => route.fulfill({ status: 404, body: "" }));
    await page.goto(`${service.baseUrl}/console`);

    await page.getByText("Reload the page if it does not appear").waitFor();
    expect(await page.getByRole("heading").allInnerTexts()).toEqual(["Assay"]);
  },
);
