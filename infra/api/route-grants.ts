import { createOrganization } from "../../lib/contract/access/organizations.ts";
import { createProject } from "../../lib/contract/access/projects.ts";
import { defaultOrganizationFactor, clientLimit, isReadHeavy } from "../../lib/contract/limits.ts";
import type { Route } from "../../lib/contract/route.ts";
import { exportLogs } from "../../lib/contract/otlp/export-logs.ts";
import { ingestLangfuse } from "../../lib/contract/langfuse/ingestion.ts";
import { exportTraces } from "../../lib/contract/otlp/export-traces.ts";
import { ingestLangsmithRuns } from "../../lib/contract/langsmith/runs.ts";
import { exchangeMcpMessages } from "../../lib/contract/mcp.ts";
import { createCustomMetric } from "../../lib/contract/metrics/custom-metrics.ts";
import { copyGalleryMetric, importCustomMetric } from "../../lib/contract/metrics/metric-sources.ts";
import { getDocs, getOpenApi } from "../../lib/contract/openapi/documentation.ts";
import { getSpend } from "../../lib/contract/runs/spend.ts";
import { previewAlert } from "../../lib/contract/monitors/alert-preview.ts";
import { createMonitor, updateMonitor } from "../../lib/contract/monitors/monitors.ts";
import { getRunTemplate } from "../../lib/contract/runs/template.ts";
import { routes } from "../../lib/contract/routes.ts";
import { createTraces } from "../../lib/contract/traces/batch.ts";
import { listPrices } from "../../lib/contract/traces/prices.ts";
import { createTrace } from "../../lib/contract/traces/traces.ts";
import { getConsole, getHealth } from "../../lib/contract/service.ts";
import { variables } from "../../lib/wiring/environment.ts";
import { accessActions, tableNames, type AccessGrants, type Grants } from "../../lib/dynamo/table.ts";
import type { EnvironmentValue } from "../functions/function-environment.ts";
import {
  ceilingEnvironment,
  judgeServers,
  costEnvironment,
  judgeEnvironment,
  modelsEnvironment,
  tierEnvironment,
  tracePriceEnvironment,
  providersEnvironment,
} from "../functions/judge-access.ts";
import type { StackParts } from "../functions/service-function.ts";
import { alertReceivers } from "../notifications/alert-receivers.ts";
import type { Settings } from "../settings/settings.ts";
import { consoleIssuers } from "../settings/sign-in-settings.ts";

/** Grants to authorize callers, by a route's access: find the project, or the caller's role in the organization of a header. */
const callerGrants: Readonly<Record<Route["access"], Grants>> = {
  project: {
    access: { GetItem: ["organization", "project"], BatchGetItem: ["organization", "project"], Query: ["user"] },
  },
  organization: { access: { GetItem: ["organization"], BatchGetItem: ["organization"], Query: ["user"] } },
  user: { access: { GetItem: ["organization"] } },
  public: {},
  verified: {},
};

/** Grants of audit events about deletions. */
const auditGrants: Grants = { access: { PutItem: ["audit"] } };

/** Grants for request counters of rate limits and for idempotency records. */
const limitGrants: Grants = { limits: ["UpdateItem"] };

const usesLimitsTable = (route: Route): boolean =>
  clientLimit(route) !== undefined || route.idempotency === "replay" || route.idempotency === "replay-by-header";

const union = <Item>(lists: readonly (readonly Item[] | undefined)[]): readonly Item[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
];

const mergeAccess = (grantSets: readonly AccessGrants[]): AccessGrants =>
  Object.fromEntries(
    union(grantSets.map(accessActions)).map((action) => [
      action,
      // Sorted, so that equal grants are equal statements.
      union(grantSets.map((grants) => grants[action])).toSorted(),
    ]),
  );

const mergeGrants = (...grantSets: readonly Grants[]): Grants => {
  const access = mergeAccess(grantSets.map(({ access = {} }) => access));
  const merged = tableNames
    .filter((name) => name !== "access")
    .map((name) => [name, union(grantSets.map((grants) => grants[name]))] as const);
  return {
    ...Object.fromEntries(merged.filter(([, actions]) => actions.length > 0)),
    ...(Object.keys(access).length > 0 && { access }),
  };
};

/** Grants to read a client's consumed read units of the current minute. */
const readBudgetGrants: Grants = { limits: ["GetItem"] };

/** Returns all grants of a route's function: those of the route and of authorization, and those of audit, rate limits and idempotency for all routes that it answers. */
export const routeGrants = (route: Route, { auditDeletions }: Pick<Settings, "auditDeletions">): Grants => {
  const answered = [route, ...routes.filter(({ answeredBy }) => answeredBy === route.id)];
  return mergeGrants(
    route.grants,
    callerGrants[route.access],
    auditDeletions && answered.some(({ auditsDeletions }) => auditsDeletions) ? auditGrants : {},
    answered.some(usesLimitsTable) ? limitGrants : {},
    answered.some(isReadHeavy) ? readBudgetGrants : {},
  );
};

/** Handlers of routes that accept traces with a start time. */
const traceStartHandlers: ReadonlySet<string> = new Set(
  [createTrace, createTraces, exportTraces, exportLogs, ingestLangfuse, ingestLangsmithRuns].map(
    ({ handler }) => handler,
  ),
);

/** Handlers of routes that create custom metrics. */
const customMetricHandlers: ReadonlySet<string> = new Set(
  [copyGalleryMetric, createCustomMetric, importCustomMetric].map(({ handler }) => handler),
);

/** Handlers that store the judge model of a monitor. */
const monitorHandlers: ReadonlySet<string> = new Set([createMonitor, updateMonitor].map(({ handler }) => handler));

/** Handlers that report the build. The others lack its variables: a new commit would deploy all functions again. */
const buildHandlers: ReadonlySet<string> = new Set(
  [exchangeMcpMessages, getDocs, getHealth, getOpenApi].map(({ handler }) => handler),
);

/** Returns the environment variables of a route's function: only the settings that its handler reads. */
export const routeEnvironment = (
  route: Route,
  { settings, build }: Pick<StackParts, "settings" | "build">,
): Record<string, EnvironmentValue> => ({
  ...(buildHandlers.has(route.handler) && {
    [variables.version]: build.version,
    [variables.commit]: build.commit,
  }),
  ...(settings.allowedOrigins.length > 0 && { [variables.allowedOrigins]: settings.allowedOrigins }),
  ...(route.readsProviders && providersEnvironment(settings)),
  ...(route.readsJudgeServers && {
    ...providersEnvironment(judgeServers(settings)),
    ...ceilingEnvironment(settings),
    [variables.judgeModel]: settings.judgeModel,
  }),
  ...(route.callsJudges && {
    ...judgeEnvironment(settings),
    [variables.judgeCalls]: String(settings.judgeCallsPerWorker),
    [variables.maxPreviewsPerDay]: String(settings.maxPreviewsPerDay),
    [variables.maxConcurrentPreviews]: String(settings.judgeMaxConcurrency),
  }),
  ...(((route.access !== "public" && route.access !== "verified") || clientLimit(route) !== undefined) && {
    [variables.limitFactor]: String(settings.limitFactor),
  }),
  ...((route.access === "public" || route.access === "verified") &&
    clientLimit(route) === undefined && { [variables.requestsPerSecond]: String(settings.requestsPerSecond) }),
  ...(route.auditsDeletions && settings.auditDeletions && { [variables.auditDeletions]: "true" }),
  ...(route.handler === getConsole.handler && { [variables.consoleIssuers]: consoleIssuers(settings.jwt) }),
  ...(route.handler === previewAlert.handler &&
    settings.notifications && { [variables.alertReceivers]: alertReceivers(settings.notifications) }),
  ...(route.handler === createProject.handler && {
    [variables.maxProjects]: String(settings.maxProjectsPerOrganization),
  }),
  ...(monitorHandlers.has(route.handler) && modelsEnvironment(settings)),
  ...(route.handler === createMonitor.handler && {
    [variables.maxMonitors]: String(settings.maxMonitorsPerProject),
  }),
  ...(customMetricHandlers.has(route.handler) && {
    [variables.maxCustomMetrics]: String(settings.maxMetricsPerProject),
  }),
  ...(route.handler === createOrganization.handler && {
    [variables.maxOwnedOrganizations]: String(settings.maxOwnedOrganizations),
  }),
  ...(settings.limits[route.id] !== undefined && {
    [variables.limitPerMinute]: String(settings.limits[route.id]),
  }),
  ...(clientLimit(route) !== undefined &&
    route.access !== "public" && {
      ...(settings.organizationLimitFactor !== defaultOrganizationFactor && {
        [variables.organizationLimitFactor]: String(settings.organizationLimitFactor),
      }),
      ...(settings.organizationLimits[route.id] !== undefined && {
        [variables.organizationLimit]: String(settings.organizationLimits[route.id]),
      }),
    }),
  ...(isReadHeavy(route) &&
    settings.readUnitsPerMinute !== undefined && { [variables.readUnits]: String(settings.readUnitsPerMinute) }),
  ...(route.grants.rows?.includes("PutItem") && { [variables.retentionDays]: String(settings.retentionDays) }),
  ...((route.grants.bodies?.includes("PutItem") === true || route.handler === listPrices.handler) &&
    tracePriceEnvironment(settings)),
  ...(traceStartHandlers.has(route.handler) && {
    ...(settings.traceStartsFrom !== undefined && { [variables.traceStartsFrom]: settings.traceStartsFrom }),
    ...(settings.traceStartsAheadHours !== undefined && {
      [variables.traceStartsAheadHours]: String(settings.traceStartsAheadHours),
    }),
  }),
  ...(route.grants.runs?.includes("PutItem") && {
    [variables.maxTargetsPerRun]: String(settings.maxTargetsPerRun),
    ...costEnvironment(settings),
    [variables.maxTargetsPerBatch]: String(settings.maxTargetsPerBatch),
  }),
  ...(route.handler === getSpend.handler && ceilingEnvironment(settings)),
  ...((route.grants.runs?.includes("PutItem") === true ||
    route.callsJudges === true ||
    route.handler === getRunTemplate.handler) && {
    [variables.judgeModel]: settings.judgeModel,
    ...tierEnvironment(settings),
  }),
});
