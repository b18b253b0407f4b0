import type { JsonSchema } from "../json-schema.ts";
import { protobufType } from "../otlp/fields.ts";
import { limitOf } from "../limits.ts";
import type { Route } from "../route.ts";
import type { NamedSchemas } from "./named-schemas.ts";
import { refTo, type Content, type Header, type Operation, type Response } from "./openapi.ts";
import { secretHeaders } from "../security-headers.ts";
import { parametersOf, takesKey } from "./parameters.ts";
import { everyHeader, refusalsOf } from "./refusals.ts";
import { partOf, partsOf } from "./schema-part.ts";
import { jsonSchemaOf } from "./schema-of.ts";
import { accessRule } from "./security.ts";

/** The resource a route belongs to: its handler's folder. */
export const tagOf = ({ handler }: Route): string => handler.split("/").at(-2) ?? "service";

const json = (schema: JsonSchema): Content => ({ "application/json": { schema } });

/** A body in JSON, and in protobuf where the protocol has both. */
const contentOf = ({ protocol }: Route, schema: JsonSchema): Content => ({
  ...json(schema),
  ...(protocol === "otlp" ? { [protobufType]: { schema: { type: "string", format: "binary" } } } : {}),
});

const meanings: Readonly<Record<Route["success"], string>> = {
  200: "Success",
  201: "Resource created",
  202: "Accepted",
  204: "Deleted, no content",
  207: "What was taken, and what was not",
};

const fixedHeader = (value: string): Header => ({ required: true, schema: { type: "string", const: value } });

const success = (route: Route, named: NamedSchemas): Response => {
  const { headers = {}, media } = route;
  const fixed = Object.entries(headers).map(([name, value]) => [name, fixedHeader(value)] as const);
  const schema = (): JsonSchema => jsonSchemaOf(route.reply, "output", named, `${route.id} reply`);
  return {
    description: meanings[route.success],
    headers: {
      ...everyHeader,
      ...Object.fromEntries(fixed),
      ...(route.method === "GET" && { ETag: refTo("headers", "EntityTag") }),
      ...(route.access === "project" && { "X-Project-Created": refTo("headers", "ProjectCreated") }),
      ...(takesKey(route) && headers !== secretHeaders && { "Idempotent-Replayed": refTo("headers", "Replayed") }),
    },
    ...(route.success === 204
      ? {}
      : { content: media === undefined ? contentOf(route, schema()) : { [media]: { schema: schema() } } }),
  };
};

/**
 * The reply of a dry run. It is a 200, and stands below the status of what is made: generated clients that know one reply
 * of an operation take the one of the lowest status.
 */
const dryRun = (route: Route, named: NamedSchemas): Readonly<Record<string, Response>> =>
  route.dryRun === undefined
    ? {}
    : {
        "2XX": {
          description: "200, nothing was made: `dry_run` was true",
          headers: everyHeader,
          content: json(jsonSchemaOf(route.dryRun, "output", named, `${route.id} dry run`)),
        },
      };

const report = (route: Route, named: NamedSchemas): Readonly<Record<string, Response>> =>
  route.report === undefined
    ? {}
    : {
        200: {
          description: "Deleted, and there is something to tell",
          headers: everyHeader,
          content: json(jsonSchemaOf(route.report, "output", named, `${route.id} report`)),
        },
      };

/** Which keys a route lets in, by what it asks of them. */
const letIn: Readonly<Record<NonNullable<Route["permission"]>, string>> = {
  read: "For API keys whose `access` is `full` or `read`.",
  ingest: "For API keys whose `access` is `full` or `ingest`.",
  write: "For API keys whose `access` is `full`.",
};

/** How many items a list gives, where it pages; null where it does not. */
const pageWords = ({ query }: Route): string | undefined => {
  const { limit } = query === undefined ? {} : (partOf(query).entries ?? {});
  if (limit === undefined) return undefined;
  const [byDefault] = Array.isArray(limit.default) ? limit.default : [];
  const most = partsOf(limit.wrapped ?? limit).findLast(({ type }) => type === "max_value")?.requirement;
  const range = `\`limit\` is 1 to ${String(most)}`;
  if (byDefault !== undefined)
    return `A page has ${String(byDefault)} items unless \`limit\` says otherwise; ${range}.`;
  return `Items are answered as an array, unless \`limit\`, \`offset\` or \`cursor\` asks for a page; ${range}, 50 when absent.`;
};

const descriptionOf = (route: Route): Pick<Operation, "description"> => {
  const { description, permission } = route;
  const perMinute = limitOf(route);
  const limit =
    perMinute === undefined
      ? undefined
      : `At most ${perMinute} requests per minute and client: \`RateLimit\` of each reply tells what is left.`;
  const keys = permission === undefined ? undefined : letIn[permission];
  const double = route.deprecated === undefined ? undefined : `Deprecated: ${route.deprecated}`;
  const said = [double, pageWords(route), limit, keys].filter((sentence) => sentence !== undefined).join(" ");
  if (description === undefined) return said === "" ? {} : { description: said };
  // A table ends with an empty line.
  const between = description.includes("\n") ? "\n\n" : " ";
  return { description: said === "" ? description : `${description}${between}${said}` };
};

/** A route as an operation of the document. */
export const operationOf = (route: Route, named: NamedSchemas): Operation => ({
  operationId: route.id,
  summary: route.summary,
  ...descriptionOf(route),
  ...(route.deprecated !== undefined && { deprecated: true as const }),
  tags: [tagOf(route)],
  security: accessRule(route.access).security,
  parameters: parametersOf(route, named),
  ...(route.body === undefined
    ? {}
    : {
        requestBody: {
          required: true,
          content: contentOf(route, jsonSchemaOf(route.body, "input", named, `${route.id} body`)),
        },
      }),
  responses: {
    [route.success]: success(route, named),
    ...dryRun(route, named),
    ...report(route, named),
    ...(route.method === "GET" && { 304: refTo("responses", "NotModified") }),
    ...refusalsOf(route),
  },
});
