import { expect, test } from "vitest";
import { getDocs } from "../../../lib/contract/openapi/documentation.ts";
import { getHealth } from "../../../lib/contract/service.ts";
import { getTraceRun, listTraceRuns } from "../../../lib/contract/runs/trace-runs.ts";
import { undescribedParts } from "../../support/openapi-shape.ts";

const headers = { "x-request-id": "a", "ratelimit-policy": "p", "content-type": "application/json" };
const { method, path } = listTraceRuns;
const page = { items: [], total: 0, limit: 50, offset: 0, next_cursor: null };
const errorFields = { request_id: "a", documentation_url: "https://assay.example.com/docs#error" };
const busy = { detail: "The service is busy.", code: "unavailable", ...errorFields };

test("a reply that fits the document is described", () => {
  expect(undescribedParts({ method, path, status: 200, headers, body: page })).toEqual([]);
  expect(
    undescribedParts({ method, path, status: 503, headers: { ...headers, "retry-after": "1" }, body: busy }),
  ).toEqual([]);
});

test("refusals of the gateway itself have one schema, whose statuses no operation lists", () => {
  const body = { detail: "Bad Request", code: "bad_request", ...errorFields };

  expect(undescribedParts({ method, path, status: 400, headers, body })).toEqual([]);
  expect(undescribedParts({ method, path, status: 400, headers, body: { message: "Bad Request" } })).not.toEqual([]);
  expect(undescribedParts({ method, path, status: 409, headers, body })).toEqual([`GET ${path}: may not answer 409`]);
});

test("a status that the operation does not list is undescribed", () => {
  expect(undescribedParts({ method, path, status: 201, headers, body: page })).toEqual([
    `GET ${path}: may not answer 201`,
  ]);
});

test("a body of another shape is undescribed, wherever it differs", () => {
  const items = [{ id: "1" }];

  expect(undescribedParts({ method, path, status: 200, headers, body: [] })).not.toEqual([]);
  expect(undescribedParts({ method, path, status: 200, headers, body: { ...page, total: "0" } })).toEqual([
    "body/total: must be integer",
  ]);
  expect(undescribedParts({ method, path, status: 200, headers, body: { ...page, items } })).toContain(
    "body/items/0: must have required property 'status'",
  );
});

test("headers that are missing or have another form are undescribed", () => {
  const { "x-request-id": _, ...otherHeaders } = headers;

  expect(undescribedParts({ method, path, status: 200, headers: otherHeaders, body: page })).toEqual([
    "header X-Request-ID: is missing",
  ]);
  expect(
    undescribedParts({ method, path, status: 503, headers: { ...headers, "retry-after": "soon" }, body: busy }),
  ).toEqual([expect.stringMatching(/^header Retry-After: /u)]);
});

test("a body of another media type is undescribed", () => {
  const page = { method: getDocs.method, path: getDocs.path, status: 200, body: "<!doctype html>" };
  const fixed = { ...headers, "cache-control": "public, max-age=300" };

  expect(undescribedParts({ ...page, headers: fixed })).toEqual([
    "header Cross-Origin-Opener-Policy: is missing",
    "header Content-Security-Policy: is missing",
    "header Content-Type: is application/json, not text/html; charset=utf-8 or text/markdown; charset=utf-8",
  ]);
});

test("an unknown operation is undescribed", () => {
  const reply = { status: 200, headers, body: {} };

  expect(undescribedParts({ ...reply, method: "POST", path: getHealth.path })).toEqual([
    "POST /health: is not in the document",
  ]);
  expect(undescribedParts({ ...reply, method: "GET", path: getTraceRun.path.replace("run_id", "id") })).not.toEqual([]);
});
