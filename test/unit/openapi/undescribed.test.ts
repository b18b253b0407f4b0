import { expect, test } from "vitest";
import { getDocs } from "../../../lib/contract/openapi/documentation.ts";
import { getHealth } from "../../../lib/contract/service.ts";
import { getTraceRun, listTraceRuns } from "../../../lib/contract/runs/trace-runs.ts";
import { undescribed } from "../../support/openapi-shape.ts";

const headers = { "x-request-id": "a", "ratelimit-policy": "p", "content-type": "application/json" };
const { method, path } = listTraceRuns;
const page = { items: [], total: 0, limit: 50, offset: 0, next_cursor: null };
const asked = { request_id: "a", documentation_url: "https://assay.example.com/docs#error" };
const busy = { detail: "The service is busy.", code: "unavailable", ...asked };

test("a reply as the document has it is described", () => {
  expect(undescribed({ method, path, status: 200, headers, body: page })).toEqual([]);
  expect(undescribed({ method, path, status: 503, headers: { ...headers, "retry-after": "1" }, body: busy })).toEqual(
    [],
  );
});

test("what the gateway refuses by itself has one shape, and an operation's own statuses are not among it", () => {
  const body = { detail: "Bad Request", code: "bad_request", ...asked };

  expect(undescribed({ method, path, status: 400, headers, body })).toEqual([]);
  expect(undescribed({ method, path, status: 400, headers, body: { message: "Bad Request" } })).not.toEqual([]);
  expect(undescribed({ method, path, status: 409, headers, body })).toEqual([`GET ${path}: may not answer 409`]);
});

test("a status that the operation does not list is not", () => {
  expect(undescribed({ method, path, status: 201, headers, body: page })).toEqual([`GET ${path}: may not answer 201`]);
});

test("a body of another shape is not, wherever it differs", () => {
  const items = [{ id: "1" }];

  expect(undescribed({ method, path, status: 200, headers, body: [] })).not.toEqual([]);
  expect(undescribed({ method, path, status: 200, headers, body: { ...page, total: "0" } })).toEqual([
    "body/total: must be integer",
  ]);
  expect(undescribed({ method, path, status: 200, headers, body: { ...page, items } })).toContain(
    "body/items/0: must have required property 'status'",
  );
});

test("headers that are missing or of another form are not", () => {
  const { "x-request-id": _, ...others } = headers;

  expect(undescribed({ method, path, status: 200, headers: others, body: page })).toEqual([
    "header X-Request-ID: is missing",
  ]);
  expect(
    undescribed({ method, path, status: 503, headers: { ...headers, "retry-after": "soon" }, body: busy }),
  ).toEqual([expect.stringMatching(/^header Retry-After: /u)]);
});

test("a body of another media type is not", () => {
  const page = { method: getDocs.method, path: getDocs.path, status: 200, body: "<!doctype html>" };
  const fixed = { ...headers, "cache-control": "public, max-age=300" };

  expect(undescribed({ ...page, headers: fixed })).toEqual([
    "header Content-Security-Policy: is missing",
    "header Content-Type: is application/json, not text/html; charset=utf-8",
  ]);
});

test("what is no operation is not", () => {
  const reply = { status: 200, headers, body: {} };

  expect(undescribed({ ...reply, method: "POST", path: getHealth.path })).toEqual([
    "POST /health: is not in the document",
  ]);
  expect(undescribed({ ...reply, method: "GET", path: getTraceRun.path.replace("run_id", "id") })).not.toEqual([]);
});
