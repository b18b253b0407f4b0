import { expect, inject, test } from "vitest";
import { openApiDocument } from "../../lib/contract/openapi/document.ts";
import { documentPage } from "../../lib/contract/openapi/page.ts";
import { routes } from "../../lib/contract/routes.ts";
import { getDocs, getOpenApi } from "../../lib/contract/service.ts";
import { clientWith } from "../support/service/client.ts";

const anyone = clientWith(inject("service"), {});
const document = openApiDocument(routes);

test("anyone may read the interface as a document", async () => {
  const { status, body, headers } = await anyone.call(getOpenApi);

  expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "application/json" });
  expect(body).toEqual(JSON.parse(JSON.stringify(document)));
});

test("anyone may read the interface as a page, which may load nothing", async () => {
  const { status, text, headers } = await anyone.call(getDocs);

  expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "text/html; charset=utf-8" });
  expect(headers["content-security-policy"]).toBe("default-src 'none'; style-src 'unsafe-inline'");
  expect(text).toBe(documentPage(document));
});

test.each([getOpenApi, getDocs])("$path may be kept for five minutes and has the request's id", async (route) => {
  const { headers } = await anyone.call(route, { headers: { "X-Request-ID": "mine" } });

  expect(headers).toMatchObject({ "cache-control": "public, max-age=300", "x-request-id": "mine" });
});
