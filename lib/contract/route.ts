import type { GenericSchema } from "valibot";
import type { Permission } from "../domain/access/key-scope.ts";
import type { LineColumns } from "../domain/line-columns.ts";
import type { RequestWork } from "../domain/request-work.ts";
import type { Grants } from "../dynamo/table.ts";
import { isClosed } from "./schema/closed-object.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Credentials that a route accepts.
 *
 * `public`: none, the authorizer is not called. `project`: an API key with `X-Project-Name`, or a bearer token with
 * `X-Project-ID`. `organization`: an API key, or a bearer token with an optional `X-Organization-ID`. `user`: a bearer
 * token, with an optional `X-Organization-ID` if the path has no organization. `verified`: an API key or a bearer token, with which the
 * handler calls other routes; these check project, role and limits.
 */
export type Access = "public" | "project" | "organization" | "user" | "verified";

/**
 * Idempotency of a POST. Its key is the `Idempotency-Key` header, else `X-Request-ID` together with the body.
 *
 * `derived-id`: the id of the created resource is derived from the key, by the handler. `replay`: the endpoint wrapper stores
 * the reply under the key and replays it. `replay-by-header`: the handler stores the reply only if the request has an
 * `Idempotency-Key` header, and executes any other retry again. `none`: every retry is executed again.
 */
type Idempotency = "derived-id" | "replay" | "replay-by-header" | "none";

/** An endpoint as data. Infrastructure, handlers, validation, documentation and tests are derived from this definition. */
export interface Route<
  Params extends GenericSchema | undefined = GenericSchema | undefined,
  Query extends GenericSchema | undefined = GenericSchema | undefined,
  Body extends GenericSchema | undefined = GenericSchema | undefined,
  Reply extends GenericSchema = GenericSchema,
> {
  /** Operation id in lower camel case; also the construct id of the Lambda function, so it never changes. */
  readonly id: string;
  readonly method: Method;
  /** URL path with `{parameter}` placeholders. Parameters at the same position of sibling paths have one name. */
  readonly path: string;
  /**
   * API Gateway's names of path parameters that differ from the names in `path`. Renaming a parameter in the gateway would
   * route requests to functions of another version in the middle of a deployment.
   */
  readonly gatewayNames?: Readonly<Record<string, string>>;
  /** Id of the route whose Lambda function also serves this route: at another path, or the other routes of a subject. */
  readonly answeredBy?: string;
  /** Resource in whose log group the function writes; the first segment of `path` if absent. */
  readonly logsWith?: string;
  /** True for an HTML page, a file of one, or messages of another protocol, which are not in the OpenAPI document and the typed client. */
  readonly isPageOnly?: true;
  /** Path of the handler's file below `functions/`, without extension: `api/traces/create-trace`. */
  readonly handler: `api/${string}`;
  /** Resource (OpenAPI tag) of the route; the folder of its handler, with which functions share roles, if absent. */
  readonly resource?: string;
  /** Summary in OpenAPI: a verb and at most five more words. */
  readonly summary: string;
  /** Description in OpenAPI: behaviour that the summary and the schemas do not show. */
  readonly description?: string;
  /** Deprecation notice that names the replacement; OpenAPI shows it after "Deprecated: ". */
  readonly deprecated?: string;
  readonly access: Access;
  /** Permission that an API key needs, and a member by their role. Absent if the route does not accept API keys. */
  readonly permission?: Permission;
  /** Permission that an API key needs for the scores in a request, if the rest of it needs less: they alone are then refused. */
  readonly scorePermission?: Extract<Permission, "write">;
  /** Headers that name the project of an API key if `X-Project-Name` is absent, for clients of other protocols. */
  readonly projectHeaders?: readonly string[];
  /** True if the body of telemetry may name projects, so that an API key needs no header that names one. */
  readonly namesProjects?: true;
  /** True if a project must exist that a request names: a misspelt name makes none. */
  readonly needsProject?: true;
  /** True if the body of a public route has a credential, so that the route can answer 401. */
  readonly credentialInBody?: true;
  readonly params?: Params;
  readonly query?: Query;
  /** Earlier names of query parameters, which stay accepted but are not in the OpenAPI document: the present name by the earlier one. */
  readonly queryAliases?: Readonly<Record<string, string>>;
  /** Query parameters of published clients that are accepted and ignored; any other unknown parameter is refused. */
  readonly ignoredQuery?: readonly string[];
  readonly body?: Body;
  /** True if the items of the body are parsed apart from each other, each with its own errors. */
  readonly hasItems?: true;
  /** True if the body has texts of an agent or about one, so that it is read like telemetry (`BodyReading`). */
  readonly hasContent?: true;
  /** True if the items of the body may also be sent, or those of the reply asked for by `Accept`, as NDJSON or CSV. */
  readonly hasLines?: true;
  /** Columns of the items of the body in CSV, of a route that takes lines. */
  readonly lineColumns?: LineColumns;
  /** True if a route without a body refuses one, in which a limit that is not read could cost money. */
  readonly refusesBody?: true;
  readonly success: 200 | 201 | 202 | 204 | 207;
  readonly reply: Reply;
  /** Body of the 200 reply to `dry_run=true`, which stores nothing. */
  readonly dryRun?: GenericSchema;
  /** Body of the 200 reply that a deletion sends instead of 204 if it has side effects to report. */
  readonly report?: GenericSchema;
  /**
   * Wire format of another product. `otlp`: bodies and replies in protobuf or JSON, errors as `google.rpc.Status`. `langsmith`: bodies
   * in JSON or as multipart forms. `mcp`: messages of the Model Context Protocol.
   */
  readonly protocol?: "otlp" | "langsmith" | "mcp";
  /** Content type of replies that are not JSON; the handler then returns the text. */
  readonly media?: "text/html; charset=utf-8" | "text/plain; charset=utf-8" | "application/x-ndjson";
  /** Content type of a text that a request may ask for by `Accept` in place of JSON. */
  readonly textMedia?: "text/markdown; charset=utf-8";
  /** Fixed headers of every successful reply. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Names of those of `headers` that the handler changes by the deployment's settings; OpenAPI shows no value of them. */
  readonly settingHeaders?: readonly string[];
  readonly idempotency?: Idempotency;
  /** Condition of the 409 reply, as a sentence for OpenAPI. Absent if the route never answers 409. */
  readonly conflict?: string;
  /** Most work of a request, where it differs from what `budgetOf` derives. */
  readonly budget?: Partial<RequestWork>;
  /** Rate limit of the contract, in requests per minute and client. */
  readonly limitPerMinute?: number;
  /** DynamoDB actions of the handler by table. Infrastructure adds the actions of the endpoint wrapper. */
  readonly grants: Grants;
  /** True if the function needs the settings that list the configured judge providers. */
  readonly readsProviders?: true;
  /** True if the function needs to know which of the operator's own judge servers have an address: no key. */
  readonly readsJudgeServers?: true;
  /** True if the function calls judge models: it gets their settings, secrets and network access. */
  readonly callsJudges?: true;
  /** True if the function may create, change and delete EventBridge schedules of monitors. */
  readonly managesSchedules?: true;
  /** True if the function hands out links to files of the lake, and starts its writer. */
  readonly exportsFiles?: true;
  /** True for a function that may ask the lake's function for words, traces, and sums and sessions of traces. */
  readonly searchesLake?: true;
  /** True if the function writes audit events of its deletions. */
  readonly auditsDeletions?: true;
  /** True if replies may have sentences about figures, rules or orders that cannot be as asked for. */
  readonly warns?: true;
  /** True if replies are streamed, because they can exceed Lambda's limit of 6 MB. */
  readonly streams?: true;
  /** Memory of the Lambda function in MB; default 512. */
  readonly memory?: number;
  /** Timeout of the Lambda function in seconds; default 29, the maximum of API Gateway. */
  readonly timeout?: number;
}

/** Requires `permission` exactly on routes that accept API keys. */
type WithPermission<R extends Route> = R["access"] extends "public" | "user" | "verified"
  ? { readonly permission?: never }
  : { readonly permission: Permission };

/** Requires `idempotency` exactly on POST routes; the other methods are idempotent by definition. */
type WithIdempotency<R extends Route> = R["method"] extends "POST"
  ? { readonly idempotency: Idempotency }
  : { readonly idempotency?: never };

/**
 * Checks the shape of a route definition and keeps its exact type.
 *
 * @example
 * export const getProject = route({ id: "getProject", method: "GET", path: "/projects/{project_id}", access: "user", ... });
 */
export const route = <const R extends Route>(definition: R & WithPermission<R> & WithIdempotency<R>): R => definition;

/** Targets of scores and runs in the words of paths and texts, with their names in route ids. */
export const targetNames = { trace: "Trace", session: "Session" } as const;

export type TargetWord = keyof typeof targetNames;

/**
 * Headers of every reply; `nosniff` makes browsers rely on the declared content type. Browsers ask the host by HTTPS only for a year; not
 * its subdomains, which a custom domain may use otherwise. The local runtime speaks plain HTTP and leaves that header out.
 */
export const securityHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Strict-Transport-Security": "max-age=31536000",
} as const;

/** Headers of replies that contain a secret, so that no cache stores them. */
export const secretHeaders = { "Cache-Control": "no-store" } as const;

/** Headers of pages, so that no page of another origin keeps a reference to their window. */
export const pageHeaders = { "Cross-Origin-Opener-Policy": "same-origin" } as const;

/** Returns the HTTP methods that a path accepts, sorted; GET implies HEAD. @param routes all routes of the path. */
export const allowedMethods = (routes: readonly Pick<Route, "method">[]): readonly string[] =>
  routes.flatMap(({ method }) => (method === "GET" ? [method, "HEAD"] : [method])).toSorted();

/** True if requests with an API key make the project that they name for the first time. A program's question, by LangSmith's paths, is no wish for one. */
export const makesProject = ({ access, method, protocol, needsProject }: Route): boolean =>
  access === "project" && needsProject !== true && !(protocol === "langsmith" && method === "GET");

/** Returns the path of a route with API Gateway's parameter names. */
export const gatewayPath = ({ path, gatewayNames = {} }: Pick<Route, "path" | "gatewayNames">): string =>
  path.replaceAll(/(?<=\{)\w+(?=\})/gu, (name) => gatewayNames[name] ?? name);

/**
 * How a body is read. `strict`: what cannot be stored unchanged refuses the request. `telemetry`: half a character is replaced, and other
 * flaws refuse the item that has them. `foreign`: numbers may have any notation, and whatever cannot be stored becomes a text.
 */
export type BodyReading = "strict" | "telemetry" | "foreign";

/** Returns how the body of a route is read: an instrumentation sends the telemetry of many in one request, and never again. */
export const readingOf = ({ permission, protocol, path, hasContent }: Route): BodyReading => {
  if (protocol !== undefined || path.startsWith("/api/")) return "foreign";
  return permission === "ingest" || hasContent === true ? "telemetry" : "strict";
};

/** True if replies name the fields of the body that were ignored. Ingestion does not look for them, since traces may be large. */
export const namesIgnoredFields = (route: Route): route is Route & { readonly body: GenericSchema } =>
  route.body !== undefined && route.permission !== "ingest" && readingOf(route) !== "foreign" && !isClosed(route.body);

/**
 * True if replies may have sentences in a header: about unused parts of the body for protocols whose own replies have no
 * place for them, and those of routes that warn.
 */
export const givesWarnings = (route: Route): boolean =>
  route.warns === true || (route.body !== undefined && readingOf(route) === "foreign" && route.protocol !== "otlp");
