import { lineTypes } from "../../lib/contract/datasets/line-types.ts";
import { getConsoleAsset } from "../../lib/contract/service.ts";
import type { IncomingHttpHeaders } from "node:http";
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { expect } from "vitest";
import { errorDocsPath, type ErrorCode, errorCodes } from "../../lib/domain/error-codes.ts";
import type { Route } from "../../lib/contract/route.ts";
import { undescribedParts } from "./openapi-shape.ts";

/** Media types of the console's files. */
const fileTypes = ["text/css; charset=utf-8", "text/javascript; charset=utf-8"];

/** Fields of an error body that identify the request. */
interface RequestDetails {
  readonly code: ErrorCode;
  readonly request_id: string;
  readonly documentation_url: string;
}

/**
 * A reply in comparable form: fields that identify the request are moved from an error's body and text to `error`.
 * `body` is parsed JSON, the text of a page, or undefined without a body.
 */
export interface Reply<Body = unknown> {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Body;
  readonly error?: RequestDetails;
}

const violation = v.strictObject({
  loc: v.pipe(
    v.array(v.union([v.string(), v.number()])),
    v.check(
      ([part]) => ["body", "query", "path", "header"].includes(String(part)),
      "starts with a part of the request",
    ),
  ),
  msg: v.pipe(v.string(), v.minLength(1)),
  type: v.pipe(v.string(), v.minLength(1)),
  input: v.optional(v.unknown()),
  ctx: v.optional(v.record(v.string(), v.unknown())),
});

const violations = v.pipe(
  v.strictObject({
    detail: v.pipe(v.array(violation), v.minLength(1)),
    errors: v.array(v.strictObject({ field: v.string(), message: v.pipe(v.string(), v.minLength(1)) })),
  }),
  v.check(({ detail, errors }) => detail.length === errors.length, "names every problem in both forms"),
);

const refusal = v.strictObject({ detail: v.pipe(v.string(), v.minLength(1)) });

/** Refusals of a foreign protocol have the form `google.rpc.Status`. */
const protocolStatus = v.strictObject({ code: v.number(), message: v.pipe(v.string(), v.minLength(1)) });

const codes = v.picklist(Object.keys(errorCodes) as ErrorCode[]);

const requestDetails = v.object({ code: codes, request_id: v.string(), documentation_url: v.string() });
const errorBody = v.object({ detail: v.unknown(), ...requestDetails.entries });

/** Checks and removes the fields of an error that identify the request; other replies are returned unchanged. */
export const withoutRequestDetails = (reply: Reply, baseUrl?: string): Reply => {
  if (reply.status < 400 || !v.is(v.object({ detail: v.unknown() }), reply.body)) return reply;
  const error = v.parse(requestDetails, v.parse(errorBody, reply.body));
  expect(error).toEqual({
    code: error.code,
    request_id: reply.headers["x-request-id"],
    documentation_url:
      baseUrl === undefined
        ? expect.stringMatching(`^http://.+${errorDocsPath(error.code)}$`)
        : `${baseUrl}${errorDocsPath(error.code)}`,
  });
  const body = Object.fromEntries(Object.entries(reply.body).filter(([name]) => !(name in requestDetails.entries)));
  return { ...reply, body, text: JSON.stringify(body), error };
};

const internals =
  /arn:aws|node_modules|\bat \S+ \(|(?:Type|Range|Syntax|Reference)Error|Exception\b|DynamoDB|dynamodb|\.ts:\d/;

const rpcMessage = v.union([
  v.strictObject({
    jsonrpc: v.literal("2.0"),
    id: v.nullable(v.union([v.string(), v.number()])),
    result: v.record(v.string(), v.unknown()),
  }),
  v.strictObject({
    jsonrpc: v.literal("2.0"),
    id: v.nullable(v.union([v.string(), v.number()])),
    error: v.strictObject({ code: v.number(), message: v.string(), data: v.optional(v.unknown()) }),
  }),
]);

/** A reply of the Model Context Protocol: messages of JSON-RPC, whose errors revisions name by different statuses, or nothing. */
const mcpReply = v.union([rpcMessage, v.array(rpcMessage), v.undefined()]);

const schemaOf = (status: number, route: Route | null): v.GenericSchema => {
  if (route?.protocol === "mcp") return status < 400 ? mcpReply : v.union([refusal, rpcMessage]);
  if (status === 422) return violations;
  if (status >= 400) return route?.protocol === "otlp" ? v.union([refusal, protocolStatus]) : refusal;
  if (status === 200 && route?.dryRun !== undefined) return route.dryRun;
  if (status === 200 && route?.report !== undefined) return route.report;
  expect(status).toBe(route?.success);
  return route?.reply ?? v.never();
};

/** Asserts a reply's status, and shows the reply's text on failure. */
export const expectStatus = ({ status, text }: Reply, expected: number): void => {
  expect(status === expected ? expected : `${status} ${text.slice(0, 2000)}`).toBe(expected);
};

/**
 * Checks a reply's headers, its body against the route's strict schema or the error format, and the whole reply against
 * the OpenAPI document.
 * @param route null when no route answers.
 * @param hidden texts that no reply may contain.
 */
export const checkReply = (reply: Reply, method: string, route: Route | null, hidden: readonly string[]): void => {
  const { status, headers, text, body } = reply;
  expectStatus(reply, Math.min(status, 499));
  expect(headers["x-request-id"]).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  const completeBody = reply.error === undefined ? body : Object.assign({}, body, reply.error);
  const isDescribed = route !== null && route.isPageOnly !== true && method !== "HEAD";
  expect(
    isDescribed ? undescribedParts({ method, path: route.path, status, headers, body: completeBody }) : [],
  ).toEqual([]);
  if (status === 204 || status === 304 || method === "HEAD") {
    expect(text).toBe("");
    return;
  }
  if (route === null && status === 302) {
    // The API's root redirects to the documentation.
    expect([text, headers.location]).toEqual(["", "/docs"]);
    return;
  }
  const isText = status < 400 && route?.textMedia !== undefined && headers["content-type"] === route.textMedia;
  const media = isText ? route.textMedia : ((status < 400 ? route?.media : undefined) ?? "application/json");
  if (route?.hasLines === true && status < 400 && lineTypes.some((type) => type === headers["content-type"])) return;
  const isFile = route?.id === getConsoleAsset.id && status < 400;
  expect(isFile ? fileTypes : [media]).toContain(headers["content-type"]);
  const parsed = v.safeParse(isText ? v.string() : schemaOf(status, route), body);
  const issues = parsed.issues?.map(({ message, path }) => `${path?.map(({ key }) => key).join(".")}: ${message}`);
  expect(issues === undefined ? [] : [...issues, `${status} ${text.slice(0, 2000)}`]).toEqual([]);
  if (!isDeepStrictEqual(parsed.output, body)) expect(body).toStrictEqual(parsed.output);
  if (status < 400) return;
  expect(text).not.toMatch(internals);
  for (const name of hidden) expect(text).not.toContain(name);
};

/** Places of the problems listed in a 422 reply, such as `body.filters.status`. */
export const problems = (reply: Reply): string[] => {
  const parsed = v.safeParse(violations, reply.body);
  return parsed.success ? parsed.output.detail.map(({ loc }) => loc.join(".")) : [];
};

/** The texts of a reply's `X-Warnings`. */
export const warningsOf = ({ headers }: Pick<Reply, "headers">) =>
  JSON.parse(`[${String(headers["x-warnings"] ?? "")}]`) as readonly string[];
