import { type ErrorCode, errorCodes } from "../../domain/error-codes.ts";
import { violationTypes } from "../../domain/violation-types.ts";
import { errorPlace } from "../error-place.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { Route } from "../route.ts";
import { refTo, type Header, type OpenApiDocument, type Operation, type Response } from "./openapi.ts";

/** What every error says beside its `detail`. */
const about: Readonly<Record<string, JsonSchema>> = {
  code: {
    type: "string",
    enum: Object.keys(errorCodes),
    description: "What a client can switch on; words may be added.",
  },
  request_id: { type: "string", description: "The reply's `X-Request-ID`: it stands in the service's log." },
  documentation_url: { type: "string", description: "Where the documentation tells of the code." },
};

const exampleAbout = (code: ErrorCode) => ({
  code,
  request_id: "9a57bedc-dd72-4906-ab9a-d0cd43bb4d80",
  documentation_url: `https://assay.example.com${errorPlace(code)}`,
});

/** Schemas of the bodies of errors. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  ErrorResponse: {
    type: "object",
    description: "What is wrong, in words a person can act on.",
    properties: { detail: { type: "string", minLength: 1 }, ...about },
    required: ["detail", ...Object.keys(about)],
    examples: [{ detail: "Trace 0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01 not found.", ...exampleAbout("not_found") }],
  },
  Status: {
    type: "object",
    description: "`google.rpc.Status`: what is wrong with a request, for its sender's log.",
    properties: { code: { type: "integer", description: "Of `google.rpc.Code`." }, message: { type: "string" } },
    required: ["code", "message"],
    examples: [{ code: 3, message: "body: The message ends too early." }],
  },
  ValidationError: {
    type: "object",
    description: "One thing that is wrong with a request.",
    properties: {
      loc: {
        type: "array",
        description: "Where: `body`, `query`, `path` or `header`, then the way to the value.",
        items: { anyOf: [{ type: "string" }, { type: "integer" }] },
        minItems: 1,
      },
      msg: { type: "string", minLength: 1 },
      type: { type: "string", enum: violationTypes, description: "What a client can switch on; words may be added." },
      input: { description: "The value, where it is short." },
      ctx: { type: "object" },
    },
    required: ["loc", "msg", "type"],
    examples: [{ loc: ["body", "metrics"], msg: "Field required", type: "missing" }],
  },
  HTTPValidationError: {
    type: "object",
    description: "What is wrong with a request, in two forms of the same list: all of it, up to 100 things.",
    properties: {
      detail: { type: "array", items: refTo("schemas", "ValidationError"), minItems: 1 },
      errors: {
        type: "array",
        items: {
          type: "object",
          properties: { field: { type: "string" }, message: { type: "string", minLength: 1 } },
          required: ["field", "message"],
        },
        minItems: 1,
      },
      ...about,
    },
    required: ["detail", "errors", ...Object.keys(about)],
    examples: [
      {
        detail: [{ loc: ["body", "metrics"], msg: "Field required", type: "missing" }],
        errors: [{ field: "metrics", message: "Field required" }],
        ...exampleAbout("validation_error"),
      },
    ],
  },
};

/** Errors of a protocol that has its own. */
const protocolErrors: Readonly<Record<NonNullable<Route["protocol"]>, string>> = { otlp: "Status" };

/** Headers that more than one reply has. */
export const sharedHeaders: Readonly<Record<string, Header>> = {
  RequestId: {
    description: "The caller's `X-Request-ID` where it is well formed, else one of the service's.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9._-]{1,128}$" },
  },
  RateLimitPolicy: {
    description:
      "The limits that the request is under, `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers): `client` of this key or user " +
      "on this route, `organization` of all of its organization's; where neither is counted `plan`, what the gateway lets through of one " +
      "client at least, or `gateway`, of all clients together. Lists and analytics have a budget of read units beside them, which is told by its 429.",
    required: true,
    schema: { type: "string", examples: ['"client";q=100;w=60'] },
  },
  RateLimit: {
    description: "What is left of those that are counted: `r` requests for the next `t` seconds.",
    schema: { type: "string", examples: ['"client";r=97;t=42'] },
  },
  EntityTag: {
    description:
      "Of this answer: with another it is another, also after a deployment that answers otherwise. It is weak, and the same however the " +
      "answer is compressed. Long lists that are written while they are read have none.",
    schema: { type: "string", pattern: '^W/"[A-Za-z0-9_-]{22}"$' },
  },
  Replayed: {
    description: "There when the same request has come before, and this is the answer that it got; nothing was done.",
    schema: { type: "string", const: "true" },
  },
  ProjectCreated: {
    description:
      "There when this request has made the project that its key names, which was not there before: after a misspelt name, too.",
    schema: { type: "string", const: "true" },
  },
  RetryAfter: {
    description: "Whole seconds after which to try again.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
};

/** Headers of every reply. */
export const everyHeader: Response["headers"] = {
  "X-Request-ID": refTo("headers", "RequestId"),
  "RateLimit-Policy": refTo("headers", "RateLimitPolicy"),
  RateLimit: refTo("headers", "RateLimit"),
};

/** Refusals of such a protocol: the function's in its form, the gateway's in ours. */
const protocolRefusal = (route: Route, status: number): Response => {
  const own = protocolErrors[route.protocol ?? "otlp"];
  const headers = status === 429 || status === 503 ? { "Retry-After": refTo("headers", "RetryAfter") } : {};
  return {
    description: "The request is refused; the gateway itself answers with a `detail`.",
    headers: { ...everyHeader, ...headers },
    content: {
      "application/json": { schema: { anyOf: [refTo("schemas", own), refTo("schemas", "ErrorResponse")] } },
    },
  };
};

const refusal = (description: string, headers: Response["headers"] = {}, schema = "ErrorResponse"): Response => ({
  description,
  headers: { ...everyHeader, ...headers },
  content: { "application/json": { schema: refTo("schemas", schema) } },
});

const retryAfter = { "Retry-After": refTo("headers", "RetryAfter") };

/** The refusals that routes share, by name. */
export const refusalResponses: OpenApiDocument["components"]["responses"] = {
  NotModified: {
    description: "The answer is the one whose `ETag` was sent as `If-None-Match`.",
    headers: { ...everyHeader, ETag: refTo("headers", "EntityTag") },
  },
  Unauthenticated: refusal("There is no valid credential."),
  Forbidden: refusal("The caller may not do this."),
  NotFound: refusal("It does not exist, or not in a project of the caller's."),
  TooLarge: refusal("The body is larger than 4 MiB, or what it adds to is full."),
  UnsupportedMediaType: refusal("The body is not `application/json` in UTF-8, or its encoding is not known."),
  Invalid: refusal(
    "Something is wrong with the request; every field that is wrong is named.",
    {},
    "HTTPValidationError",
  ),
  RateLimited: refusal("Too many requests.", retryAfter),
  Fault: refusal("A fault of the service."),
  Unavailable: refusal("The service is busy.", retryAfter),
  Refused: refusal(
    "The gateway's own answer: the request is no well-formed HTTP (400, 414, 417, 431), or got no answer (502, 504).",
  ),
};

const guarded = ({ access, credentialInBody }: Route): boolean => access !== "public" || credentialInBody === true;
const always = (): boolean => true;

const rules: readonly (readonly [status: number, name: string, applies: (route: Route) => boolean])[] = [
  [401, "Unauthenticated", guarded],
  [403, "Forbidden", guarded],
  [404, "NotFound", guarded],
  [413, "TooLarge", always],
  // Without a body there is none of another type, but the gateway looks at its encoding all the same.
  [415, "UnsupportedMediaType", always],
  [
    422,
    "Invalid",
    (route) =>
      route.protocol === undefined && (guarded(route) || (route.body ?? route.query ?? route.params) !== undefined),
  ],
  [429, "RateLimited", always],
  [500, "Fault", always],
  [503, "Unavailable", guarded],
];

/** The refusals with which a route may answer, by status. */
export const refusalsOf = (route: Route): Operation["responses"] => ({
  ...(route.protocol === undefined ? {} : { 400: protocolRefusal(route, 400) }),
  ...Object.fromEntries(
    rules
      .filter(([, , applies]) => applies(route))
      .map(([status, name]) => [
        status,
        route.protocol === undefined ? refTo("responses", name) : protocolRefusal(route, status),
      ]),
  ),
  ...(route.conflict === undefined ? {} : { 409: refusal(route.conflict) }),
  default: refTo("responses", "Refused"),
});
