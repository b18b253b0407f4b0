import type { APIGatewayProxyEvent } from "aws-lambda";
import { type RequestBudget, requestBudget } from "../async/request-budget.ts";
import { budgetOf } from "../contract/limits.ts";
import type { Route } from "../contract/route.ts";
import { randomId } from "../domain/access/identity.ts";
import type { KeyScope } from "../domain/access/key-scope.ts";
import type { IngestProject, Principal } from "../domain/access/principal.ts";
import type { ProjectReference } from "../domain/access/project-reference.ts";
import { type IdempotencyCheck, noIdempotency } from "../domain/idempotency-check.ts";
import type { Refusal } from "../domain/refusal.ts";
import { canonicalUuid, uuidPattern } from "../domain/text.ts";
import type { LogContext } from "../log-context.ts";
import type { SignedInUser } from "../store/access/users.ts";
import type { IdempotencyRecords } from "../store/limits/idempotency-records.ts";
import type { ReplayedAnswer } from "./answers.ts";
import { type Coding, codingOf } from "./documents/compression.ts";
import { type Precondition, preconditionOf } from "./documents/entity-tag.ts";
import { headerValues, requestIdOf, serviceUrlOf, traceparentOf } from "./event.ts";
import type { Paging } from "./paging.ts";

/** A verified caller of a data-plane route and the project that the request names. */
export interface Caller {
  readonly principal: Principal;
  /** Access of the caller's API key, `label` also for a member with the role LABELLER; null for other users. */
  readonly keyAccess: KeyScope["access"] | null;
  readonly project: IngestProject;
}

/** A verified caller of a route that calls other routes with the caller's credential. */
export type ForwardedCaller = Pick<Caller, "principal" | "keyAccess">;

/** A verified caller of a route for telemetry, whose body may name projects. */
export interface TelemetryCaller {
  readonly principal: Principal;
  /** Access of the caller's API key; null for a user. */
  readonly keyAccess: KeyScope["access"] | null;
  /** Project of the request's headers, or the only project of the API key; absent if the body decides. */
  readonly project?: IngestProject;
  readonly organizationId: string;
  /** Project of telemetry that names none, in Braintrust's header `x-bt-parent`; null without it. */
  readonly parentProject: ProjectReference | null;
  /**
   * Resolves the project of some telemetry: `project`; else the referenced one, or `default` for null. A key without a scope
   * creates a missing project.
   *
   * @throws Refusal as for a project in `X-Project-Name`; a bad name is `invalid`.
   */
  readonly projectFor: (reference: ProjectReference | null) => Promise<IngestProject>;
}

/** A verified caller of a route about an organization. */
export interface OrganizationCaller {
  readonly principal: Principal;
  readonly organizationId: string;
  /** Project id that the caller's key is scoped to; null if the caller reaches all projects of the organization. */
  readonly onlyProject: string | null;
  /** Access of the caller's API key; null for a user. */
  readonly keyAccess: KeyScope["access"] | null;
}

/** The signed-in user who sends a request. */
export interface UserCaller {
  readonly principal: Principal;
  readonly user: SignedInUser;
  /** Organization id in `X-Organization-ID`, of which the user is a member; null without the header. */
  readonly organizationId: string | null;
}

/** State of one rate limit that applies to a request. */
export interface RateState {
  /** Scope of the limit: the client on a route, its organization, its usage plan, or the whole API Gateway stage. */
  readonly policy: "client" | "organization" | "plan" | "gateway";
  /** Requests allowed per window. */
  readonly limit: number;
  /** Length of the window in seconds. */
  readonly window: number;
  /** Remaining requests and whole seconds until the window ends; null if unknown. */
  readonly quota: { readonly remaining: number; readonly seconds: number } | null;
}

/** Options of the replay of a request that is identified by a stored record. */
export interface ReplayOptions<Answer> {
  /** Milliseconds during which a started request without an answer blocks its repetition; 0 lets a repetition run at once. */
  readonly lease: number;
  /** True if an answer may be stored and replayed; otherwise a repeated request runs again. Default: always. */
  readonly isFinal?: (answer: Answer) => boolean;
  /** Refusal of a repeated request whose answer is secret and sent only once. */
  readonly secret?: () => Refusal;
}

/** Idempotency of a request: ids derived from its idempotency key, and stored answers to replay. */
export interface Idempotency {
  /** Returns the id for a resource that the request creates; the same id for each repetition of the request. */
  readonly idFor: (position: string) => string;
  /** True if the request has no idempotency key, so that its ids are random and cannot exist yet. */
  readonly hasRandomIds: boolean;
  readonly idempotency: IdempotencyCheck;
  /** Runs `work` at most once per `Idempotency-Key` and replays its answer for 24 hours. Without a key it just runs `work`. */
  readonly runOnce: <Answer>(
    options: ReplayOptions<Answer>,
    work: () => Promise<Answer>,
  ) => Promise<Answer | ReplayedAnswer>;
}

/** Idempotency of a request without a key: its ids are random, and each repetition of it runs again. */
export const withoutKey: Idempotency = {
  idFor: () => randomId(),
  hasRandomIds: true,
  idempotency: noIdempotency,
  runOnce: (_options, work) => work(),
};

/** One request from its arrival to its log line. Each stage of `endpoint` adds what the later stages need. */
export interface Exchange extends Partial<Caller & UserCaller>, Idempotency {
  /** Request as API Gateway sends it; the stage `read` replaces its body by the parsed body. */
  readonly event: APIGatewayProxyEvent;
  /** Route of the request; a guard may replace it by the same route with the operator's rate limit. */
  route: Route;
  readonly requestId: string;
  /** Arrival of the request in epoch milliseconds. */
  readonly startedAt: number;
  /** Base URL of the service as the client addressed it: scheme, host and stage, without the route's path. */
  readonly serviceUrl: string;
  /** Condition of the request in `If-None-Match`. */
  readonly precondition: Precondition;
  /** True if the request lists ETags in `If-None-Match`. The handler then computes the ETag before the answer. */
  readonly hasIfNoneMatch: boolean;
  /** Compression of a streamed reply; null for no compression. API Gateway compresses replies that are not streamed. */
  readonly coding: Coding | null;
  /** Work that the request has caused, and the most that it may cause. */
  readonly budget: RequestBudget;
  /** Rate limits that apply to the request, in the order of the `RateLimit` headers. */
  readonly rateStates: RateState[];
  /** Replaces the read units reserved in the client's read budget by the consumed ones; does nothing on routes without a budget. */
  recordReads: () => Promise<void>;
  /** True if the request has created the project that it names. */
  hasCreatedProject: boolean;
  /** True if the request gets the answer of an earlier request with the same idempotency key. */
  isReplayed: boolean;
  /** Body text as received; empty until the stage `read`. */
  sentText: string;
  /** Lines of the items of a body in NDJSON or CSV; undefined for JSON. */
  itemLines: readonly number[] | undefined;
  /** Fields of the body that the route does not know and ignores; set by the stage `parse`. */
  readonly ignoredFields: readonly string[];
  /** Parts of the request that were accepted and not used, in sentences: the reply's `X-Warnings`. */
  readonly warnings: readonly string[];
  /** Adds a sentence to the warnings. */
  readonly warn: (warning: string) => void;
  /** Requested page of a list, with functions that build the reply; set by the stage `parse`. */
  paging?: Paging;
}

/** Starts the exchange of a request that has just arrived. */
export const newExchange = (event: APIGatewayProxyEvent, route: Route): Exchange => {
  const precondition = preconditionOf(headerValues(event, "If-None-Match"));
  const warnings: string[] = [];
  return {
    event,
    route,
    requestId: requestIdOf(event),
    startedAt: Date.now(),
    get serviceUrl() {
      return serviceUrlOf(event);
    },
    precondition,
    hasIfNoneMatch: precondition.hasTags,
    coding: route.streams === true ? codingOf(headerValues(event, "Accept-Encoding")) : null,
    budget: requestBudget(budgetOf(route)),
    rateStates: [],
    recordReads: async () => undefined,
    hasCreatedProject: false,
    isReplayed: false,
    sentText: "",
    itemLines: undefined,
    ignoredFields: [],
    warnings,
    warn: (warning) => void warnings.push(warning),
    ...withoutKey,
  };
};

/** Returns the ids for log lines of a request: those that its stages have verified so far, and the run in its path. */
export const logContextOf = ({ event, requestId, project, organizationId, principal }: Exchange): LogContext => {
  const runId = event.pathParameters?.["run_id"] ?? "";
  return {
    request_id: requestId,
    project_id: project?.id,
    organization_id: project?.organizationId ?? organizationId ?? undefined,
    key_id: principal?.kind === "key" ? principal.keyId : undefined,
    run_id: uuidPattern.test(runId) ? canonicalUuid(runId) : undefined,
    traceparent: traceparentOf(event),
  };
};

/** Check of a request before its handler: credentials, project and rate limits. */
export interface AccessGuard<Admitted extends object = Caller> {
  /** Returns the verified caller. @throws Refusal that answers a request which is not admitted. */
  admit(exchange: Exchange): Promise<Admitted>;
  /** Store of answers to replay for repeated idempotency keys. Absent if the guard's routes replay nothing. */
  readonly records?: IdempotencyRecords;
  /** Browser origins that may read replies (CORS); none when absent. */
  readonly origins?: readonly string[];
}
