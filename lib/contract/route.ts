import type { GenericSchema } from "valibot";
import type { Permission } from "../domain/access/key-scope.ts";
import type { Grants } from "../store/table.ts";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Who may call a route.
 *
 * `public`: anyone, the authorizer is not asked. `project`: an API key with `X-Project-Name`, or a bearer token with
 * `X-Project-ID`. `organization`: an API key, or a bearer token whose organization `X-Organization-ID` may name. `user`: a bearer token; where the path names no organization `X-Organization-ID` may.
 */
export type Access = "public" | "project" | "organization" | "user";

/**
 * By what a POST is known that is sent again with its `Idempotency-Key`, or its `X-Request-ID` and body.
 *
 * `made`: by what it makes, which has an id that follows from the key. `recorded`: by a record of its answer. `sent`: by a
 * record with an `Idempotency-Key`; without one its answer follows from what it says. `once`: by itself, for nobody is known
 * whose it would be, or it makes nothing. The handlers of `made` and `sent` see to it, the wrapper to `recorded`.
 */
type Repeats = "made" | "recorded" | "sent" | "once";

/** An endpoint as data: infrastructure, handler, validation, documentation and tests all read this. */
export interface Route<
  Params extends GenericSchema | undefined = GenericSchema | undefined,
  Query extends GenericSchema | undefined = GenericSchema | undefined,
  Body extends GenericSchema | undefined = GenericSchema | undefined,
  Reply extends GenericSchema = GenericSchema,
> {
  /** Stable name in lower camel case; the Lambda function's construct id. */
  readonly id: string;
  readonly method: Method;
  /** With `{parameter}` placeholders; sibling parameters share one name. */
  readonly path: string;
  /**
   * The gateway's names of path parameters, where they are not those of the interface: one that was renamed there would leave the
   * functions of one version, in the middle of a deployment, behind the paths of another.
   */
  readonly gatewayNames?: Readonly<Record<string, string>>;
  /** Id of the route whose function answers this one too: the same at the address that another protocol's programs know. */
  readonly answeredBy?: string;
  /** The handler's file below `functions/`, without ending: `api/traces/create-trace`. */
  readonly handler: `api/${string}`;
  /** What it does, in a few words. */
  readonly summary: string;
  /** What a caller should know beyond the summary and the schemas. */
  readonly description?: string;
  /** What to call in its place, where it is the double of another route: in words, behind "Deprecated: ". */
  readonly deprecated?: string;
  readonly access: Access;
  /** What it asks of an API key; there where one is a credential. */
  readonly permission?: Permission;
  /** Headers of other protocols that name a key's project too, where `X-Project-Name` does not. */
  readonly projectHeaders?: readonly string[];
  /** A public route whose body carries what lets the caller in, and so may be refused like a guarded one. */
  readonly credentialInBody?: true;
  readonly params?: Params;
  readonly query?: Query;
  /** Query parameters that published clients send and nothing reads; every other unknown one is refused. */
  readonly ignoredQuery?: readonly string[];
  readonly body?: Body;
  readonly success: 200 | 201 | 202 | 204 | 207;
  readonly reply: Reply;
  /** What is answered, with 200, when the query says `dry_run=true`: nothing is made then. */
  readonly dryRun?: GenericSchema;
  /** What is answered, with 200 in place of 204, when there is something to tell. */
  readonly report?: GenericSchema;
  /** Bodies, replies and errors have the form of OTLP/HTTP: protobuf or JSON, errors as `google.rpc.Status`. */
  readonly protocol?: "otlp";
  /** What a reply is when it is not JSON; the handler then answers its text. */
  readonly media?: "text/html; charset=utf-8";
  /** Headers that every successful reply has. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly repeats?: Repeats;
  /** When a 409 is answered; never when absent. */
  readonly conflict?: string;
  /** The contract's limit in requests per minute and client; none when absent. */
  readonly limitPerMinute?: number;
  /** What the function may do on which table; the wrapper's own needs are added by `access` and `limitPerMinute`. */
  readonly grants: Grants;
  /** The function reads which providers of judge models are configured. */
  readonly readsProviders?: true;
  /** The function asks judges: it has their settings, and reaches them. */
  readonly judges?: true;
  /** The function makes, changes and removes the schedules of monitors. */
  readonly schedules?: true;
  /** The function notes in the audit what it deletes. */
  readonly notesDeletions?: true;
  /** The reply may pass Lambda's 6 MB and is streamed. */
  readonly streams?: true;
  /** MB, default 512. */
  readonly memory?: number;
  /** Seconds, default 29: API Gateway's ceiling. */
  readonly timeout?: number;
}

/** Where an API key is a credential the route says what it asks of it, and nowhere else. */
type Permitted<R extends Route> = R["access"] extends "public" | "user"
  ? { readonly permission?: never }
  : { readonly permission: Permission };

/** A POST says by what it is known when it is sent again; other methods say by themselves what comes of that. */
type Repeated<R extends Route> = R["method"] extends "POST"
  ? { readonly repeats: Repeats }
  : { readonly repeats?: never };

/** Checks a route's shape and keeps its exact type. */
export const route = <const R extends Route>(definition: R & Permitted<R> & Repeated<R>): R => definition;

/** What a path may be asked by, in order: what is read can be asked for without its body. */
export const methodsAt = (routes: readonly Pick<Route, "method">[]): readonly string[] =>
  routes.flatMap(({ method }) => (method === "GET" ? [method, "HEAD"] : [method])).toSorted();

/** A route's path as the gateway has it. */
export const gatewayPath = ({ path, gatewayNames = {} }: Pick<Route, "path" | "gatewayNames">): string =>
  path.replaceAll(/(?<=\{)\w+(?=\})/gu, (name) => gatewayNames[name] ?? name);
