import type { Route } from "../route.ts";
import { schemaRegistry } from "./schema-registry.ts";
import type { OpenApiDocument } from "./openapi.ts";
import { operationOf, tagOf } from "./operation.ts";
import { sharedParameters } from "./parameters.ts";
import { errorSchemas, refusalResponses, sharedHeaders } from "./refusals.ts";
import { securitySchemes } from "./security.ts";
import { tagDescriptions } from "./tag-descriptions.ts";
import { webhooksOf } from "./webhooks.ts";
import { withExamples } from "./with-examples.ts";

const description = [
  "A trace store and evaluation service for LLM agents.",
  "Errors have the form `{detail, code, request_id, documentation_url}`, with `detail` for people and `code` for programs. A 422 lists all invalid fields in `detail` and in `errors`.",
  "Unknown paths give 404, unsupported methods 405 with `Allow`. Paths do not end with a slash.",
  "Every `GET` route also supports `HEAD`, with the same status and headers and no body.",
  "Replies to `GET` have an `ETag`. With this value in `If-None-Match` the reply is a 304 without a body as long as the content is unchanged, which often saves database reads. Arrays of all scores of a run or a session are streamed and have no `ETag`.",
  "Replies of 1 KiB or more are compressed according to `Accept-Encoding`: gzip or deflate, and also br for `/docs`, `/console`, `/openapi.json`, traces, spans, sessions and lists of scores.",
  "Bodies are JSON in UTF-8 of at most 4 MiB, nested at most 100 levels deep, with at most 10,000 keys per object and 500,000 values, of which empty objects, empty lists and numbers such as `1.0` that are kept digit for digit count twice.",
  "Lengths of text are in Unicode code points.",
  "Unknown fields of a body are ignored unless an operation refuses them; unknown keys of `filters` are always refused.",
  "Unknown query parameters are refused with a suggestion, but ignored by the endpoints of Langfuse, LangSmith and OpenTelemetry and by those without a credential, such as `/health`. `started_after` is an alias of `date_from`, and `started_before` of `date_to`, in queries and in filters of bodies. A query can have only one name of a pair; in a body the `date_` names take precedence.",
  "Ids are accepted in any case, with or without hyphens, and returned in lower case with hyphens.",
  "An API key that is limited to one project needs no header that names it. If `X-Project-Name` is absent, `X-Project-ID` can name the project with an API key. If `X-Project-ID` is absent, `X-Project-Name` can name the project with a bearer token, in the organization of `X-Organization-ID` or of the user's oldest membership.",
  "Web pages can call the service if the operator allows their origin (CORS).",
  "Times in replies are in UTC with microseconds and offset, as `2026-11-21T09:00:00.000000+00:00`, except in free-form data and in the `filters` of runs and monitors, which are returned as sent. Dates that do not exist in the calendar are refused.",
].join("\n\n");

const tagNamed = (name: string): OpenApiDocument["tags"][number] => {
  const about = tagDescriptions[name];
  return about === undefined ? { name } : { name, description: about };
};

/** Returns the routes that the OpenAPI document describes: all except further pages of the documentation. */
export const documentedRoutes = (routes: readonly Route[]): readonly Route[] =>
  routes.filter(({ isPageOnly }) => isPageOnly !== true);

/**
 * Builds the public OpenAPI document of the service, for readers and tools. The API gateway is configured by a separate document.
 *
 * @param build version and commit of the software; left out if absent.
 * @throws Error if the schema of a route cannot be converted to JSON Schema.
 */
export const openApiDocument = (
  allRoutes: readonly Route[],
  build?: OpenApiDocument["info"]["x-build"],
): OpenApiDocument => {
  const routes = documentedRoutes(allRoutes);
  const registry = schemaRegistry();
  const paths: Record<string, OpenApiDocument["paths"][string]> = {};
  for (const [path, group] of Map.groupBy(routes, (route) => route.path)) {
    paths[path] = Object.fromEntries(group.map((route) => [route.method.toLowerCase(), operationOf(route, registry)]));
  }
  const webhooks = webhooksOf(registry);
  return withExamples({
    openapi: "3.1.1",
    // Version of the API as fixed by its contract, not the version of the software.
    info: {
      title: "Assay",
      version: "0.1.0",
      ...(build !== undefined && { "x-build": build }),
      description,
      license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
    },
    // Relative to this document's own address, so that it holds under any host and stage prefix.
    servers: [{ url: ".", description: "Base URL of this document, with its stage." }],
    tags: [...new Set(routes.map(tagOf))].map(tagNamed),
    paths,
    webhooks,
    components: {
      schemas: { ...registry.schemas, ...errorSchemas },
      parameters: sharedParameters,
      headers: sharedHeaders,
      responses: refusalResponses,
      securitySchemes,
    },
  });
};
