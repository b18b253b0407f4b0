import { lineTypes } from "../datasets/line-types.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { protobufType } from "../otlp/fields.ts";
import { multipartType } from "../langsmith/runs.ts";
import { clientLimit } from "../limits.ts";
import { givesWarnings, makesProject, namesIgnoredFields, type Route, secretHeaders } from "../route.ts";
import type { SchemaRegistry } from "./schema-registry.ts";
import { refTo, type MediaTypes, type Header, type Operation, type Response } from "./openapi.ts";
import { parametersOf, takesIdempotencyKey } from "./parameters.ts";
import { commonHeaders, refusalsOf } from "./refusals.ts";
import { partOf, partsOf } from "../schema/schema-part.ts";
import { jsonSchemaOf } from "./schema-of.ts";
import { accessRule } from "./security.ts";

/** Returns the resource (OpenAPI tag) of a route. */
export const tagOf = ({ handler, resource = handler.split("/").at(-2) ?? "service" }: Route): string => resource;

const json = (schema: JsonSchema): MediaTypes => ({ "application/json": { schema } });

/** Describes a body in JSON, for OTLP routes also in protobuf, and for those with lines also in NDJSON and CSV. */
const contentOf = ({ protocol, hasLines, method }: Route, schema: JsonSchema, isReply = false): MediaTypes => ({
  ...json(schema),
  ...(hasLines === true && (method === "GET") === isReply
    ? Object.fromEntries(lineTypes.map((type) => [type, { schema: { type: "string" } }]))
    : {}),
  ...(protocol === "otlp" ? { [protobufType]: { schema: { type: "string", format: "binary" } } } : {}),
});

/** Describes the body of a request: that of LangSmith's batches may also be a form. */
const requestContentOf = (route: Route, schema: JsonSchema): MediaTypes => ({
  ...contentOf(route, schema),
  ...(route.path.endsWith("/multipart") ? { [multipartType]: { schema: { type: "object" } } } : {}),
});

const successDescriptions: Readonly<Record<Route["success"], string>> = {
  200: "Success",
  201: "Resource created",
  202: "Accepted",
  204: "Deleted, no content",
  207: "Accepted and rejected items",
};

/** Describes the headers that a route always sends. */
const routeHeaders = ({ headers = {}, settingHeaders = [] }: Route): Record<string, Header> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      { required: true, schema: { type: "string", ...(!settingHeaders.includes(name) && { const: value }) } },
    ]),
  );

const success = (route: Route, registry: SchemaRegistry): Response => {
  const { headers, media, textMedia } = route;
  const schema = (): JsonSchema => jsonSchemaOf(route.reply, "output", registry, `${route.id} reply`);
  return {
    description: successDescriptions[route.success],
    headers: {
      ...commonHeaders,
      ...routeHeaders(route),
      ...(route.method === "GET" && { ETag: refTo("headers", "EntityTag") }),
      ...(makesProject(route) && { "X-Project-Created": refTo("headers", "ProjectCreated") }),
      ...(namesIgnoredFields(route) && { "X-Ignored-Fields": refTo("headers", "IgnoredFields") }),
      ...(givesWarnings(route) && { "X-Warnings": refTo("headers", "Warnings") }),
      ...(takesIdempotencyKey(route) &&
        headers !== secretHeaders && { "Idempotent-Replayed": refTo("headers", "Replayed") }),
    },
    ...(route.success === 204
      ? {}
      : {
          content: {
            ...(media === undefined ? contentOf(route, schema(), true) : { [media]: { schema: schema() } }),
            ...(textMedia !== undefined && { [textMedia]: { schema: { type: "string" } } }),
          },
        }),
  };
};

const dryRun = (route: Route, registry: SchemaRegistry): Pick<Operation, "x-dry-run"> =>
  route.dryRun === undefined
    ? {}
    : {
        "x-dry-run": {
          description: "200, the result of a dry run: nothing was stored",
          headers: commonHeaders,
          content: json(jsonSchemaOf(route.dryRun, "output", registry, `${route.id} dry run`)),
        },
      };

const report = (route: Route, registry: SchemaRegistry): Readonly<Record<string, Response>> =>
  route.report === undefined
    ? {}
    : {
        200: {
          description: "Deleted, with a report of side effects",
          headers: commonHeaders,
          content: json(jsonSchemaOf(route.report, "output", registry, `${route.id} report`)),
        },
      };

/** Sentences about the API keys that may call a route, by the permission that the route requires. */
const permissionTexts: Readonly<Record<NonNullable<Route["permission"]>, string>> = {
  read: "Allowed for API keys with `full` or `read` access.",
  ingest: "Allowed for API keys with `full` or `ingest` access.",
  write: "Allowed for API keys with `full` access.",
  label: "Allowed for API keys with `full` or `label` access, and members with the role LABELLER.",
  read_or_label: "Allowed for API keys with `full`, `read` or `label` access, and members with the role LABELLER.",
};

/** Sentences about the API keys whose scores a route stores, where a key with less access may call it. */
const scorePermissionTexts: Readonly<Record<NonNullable<Route["scorePermission"]>, string>> = {
  write:
    "Scores need an API key with `full` access: those of other keys are refused, and the rest of the request is stored.",
};

/** Sentences about the credentials of routes without a permission. */
const tokenTexts: Partial<Readonly<Record<Route["access"], string>>> = {
  public: "Requires no header with a credential.",
  user: "Requires a bearer token.",
};

/** Describes the page size of a list route; undefined for routes without paging. */
const pagingText = ({ query }: Route): string | undefined => {
  const { limit, offset, page } = query === undefined ? {} : (partOf(query).entries ?? {});
  if (limit === undefined) return undefined;
  const [defaultLimit] = Array.isArray(limit.default) ? limit.default : [];
  const maxLimit = partsOf(limit.wrapped ?? limit).findLast(({ type }) => type === "max_value")?.requirement;
  const range = `\`limit\` is 1 to ${String(maxLimit)}`;
  if (defaultLimit !== undefined && offset === undefined && page === undefined)
    return `The reply is an array without pages; ${range}, by default ${String(defaultLimit)}.`;
  if (defaultLimit !== undefined) return `A page has ${String(defaultLimit)} items by default; ${range}.`;
  return `The reply is an array, or with \`limit\`, \`offset\` or \`cursor\` a page; ${range}, by default 50.`;
};

const descriptionOf = (route: Route): Pick<Operation, "description"> => {
  const { description, permission, scorePermission } = route;
  const perMinute = clientLimit(route);
  const limit =
    perMinute === undefined
      ? undefined
      : `At most ${perMinute} requests per minute and client; the \`RateLimit\` header of each reply has the remaining quota.`;
  const accessText = permission === undefined ? tokenTexts[route.access] : permissionTexts[permission];
  const hasScores = scorePermission !== undefined && scorePermission !== permission && route.body !== undefined;
  const scoreText = hasScores ? scorePermissionTexts[scorePermission] : undefined;
  const deprecation = route.deprecated === undefined ? undefined : `Deprecated: ${route.deprecated}`;
  const sentences = [deprecation, pagingText(route), limit, accessText, scoreText]
    .filter((sentence) => sentence !== undefined)
    .join(" ");
  if (description === undefined) return sentences === "" ? {} : { description: sentences };
  // A Markdown table at the end of the description must be followed by an empty line.
  const separator = description.includes("\n") ? "\n\n" : " ";
  return { description: sentences === "" ? description : `${description}${separator}${sentences}` };
};

/** Builds the OpenAPI operation of a route. */
export const operationOf = (route: Route, registry: SchemaRegistry): Operation => ({
  operationId: route.id,
  summary: route.summary,
  ...descriptionOf(route),
  ...(route.deprecated !== undefined && { deprecated: true as const }),
  tags: [tagOf(route)],
  security: accessRule(route.access).security,
  parameters: parametersOf(route, registry),
  ...(route.body === undefined
    ? {}
    : {
        requestBody: {
          required: true,
          content: requestContentOf(route, jsonSchemaOf(route.body, "input", registry, `${route.id} body`)),
        },
      }),
  responses: {
    [route.success]: success(route, registry),
    ...report(route, registry),
    ...(route.method === "GET" && { 304: refTo("responses", "NotModified") }),
    ...refusalsOf(route),
  },
  ...dryRun(route, registry),
});
