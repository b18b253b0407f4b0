import { createOrganization } from "../../lib/contract/access/organizations.ts";
import { createProject } from "../../lib/contract/access/projects.ts";
import { defaultOrganizationFactor, limitOf, readsMuch } from "../../lib/contract/limits.ts";
import type { Route } from "../../lib/contract/route.ts";
import { exportLogs } from "../../lib/contract/otlp/export-logs.ts";
import { exportTraces } from "../../lib/contract/otlp/export-traces.ts";
import {
  copyGalleryMetric,
  createCustomMetric,
  importCustomMetric,
} from "../../lib/contract/metrics/custom-metrics.ts";
import { getSpend } from "../../lib/contract/runs/spend.ts";
import { createMonitor } from "../../lib/contract/monitors/monitors.ts";
import { getRunTemplate } from "../../lib/contract/runs/template.ts";
import { createTraces } from "../../lib/contract/traces/batch.ts";
import { listPrices } from "../../lib/contract/traces/prices.ts";
import { createTrace } from "../../lib/contract/traces/traces.ts";
import { getConsole } from "../../lib/contract/service.ts";
import { variables } from "../../lib/wiring/environment.ts";
import { tableNames, type Grants, type TableAction, type TableName } from "../../lib/store/table.ts";
import type { Value } from "../functions/function-environment.ts";
import {
  ceilingEnvironment,
  costEnvironment,
  judgeEnvironment,
  tierEnvironment,
  tracePriceEnvironment,
  providersEnvironment,
} from "../functions/judge-access.ts";
import type { Settings } from "../settings/settings.ts";
import { consoleIssuers } from "../settings/sign-in-settings.ts";

/** Finding out what the caller may do: the project, or the role in the organization that a header names. */
const callerGrants: Readonly<Record<Route["access"], Grants>> = {
  project: { access: ["GetItem", "BatchGetItem", "Query"] },
  organization: { access: ["GetItem"] },
  user: { access: ["GetItem"] },
  public: {},
};

/** Counting a request against the route's limit, and records of requests that may come again. */
const limitGrants: Grants = { limits: ["UpdateItem"] };

const isNoted = (route: Route): boolean =>
  limitOf(route) !== undefined || route.repeats === "recorded" || route.repeats === "sent";

const union = (...all: readonly Grants[]): Grants => {
  const merged: Partial<Record<TableName, readonly TableAction[]>> = {};
  for (const table of tableNames) {
    const actions = new Set(all.flatMap((grants) => grants[table] ?? []));
    if (actions.size > 0) merged[table] = [...actions];
  }
  return merged;
};

/** Asking what a client has read in this minute. */
const readerGrants: Grants = { limits: ["GetItem"] };

/** What a route's function may do: its own grants and what the handler wrapper needs on its behalf. */
export const routeGrants = (route: Route): Grants =>
  union(
    route.grants,
    callerGrants[route.access],
    isNoted(route) ? limitGrants : {},
    readsMuch(route) ? readerGrants : {},
  );

/** Routes that take traces with their starts. */
const startsTraces: ReadonlySet<string> = new Set(
  [createTrace, createTraces, exportTraces, exportLogs].map(({ handler }) => handler),
);

/** Routes that make metrics of a project's own. */
const customMetricMakers: ReadonlySet<string> = new Set(
  [copyGalleryMetric, createCustomMetric, importCustomMetric].map(({ handler }) => handler),
);

/** The settings that a route's function reads. */
export const routeEnvironment = (route: Route, settings: Settings): Record<string, Value> => ({
  ...(settings.allowedOrigins.length > 0 && { [variables.allowedOrigins]: settings.allowedOrigins }),
  ...(route.readsProviders && providersEnvironment(settings)),
  ...(route.judges && judgeEnvironment(settings)),
  ...((route.access !== "public" || limitOf(route) !== undefined) && {
    [variables.limitFactor]: String(settings.limitFactor),
  }),
  ...(route.access === "public" &&
    limitOf(route) === undefined && { [variables.requestsPerSecond]: String(settings.requestsPerSecond) }),
  ...(route.handler === getConsole.handler && { [variables.consoleIssuers]: consoleIssuers(settings.jwt) }),
  ...(route.handler === createProject.handler && {
    [variables.maxProjects]: String(settings.maxProjectsPerOrganization),
  }),
  ...(route.handler === createMonitor.handler && {
    [variables.maxMonitors]: String(settings.maxMonitorsPerProject),
  }),
  ...(customMetricMakers.has(route.handler) && {
    [variables.maxCustomMetrics]: String(settings.maxMetricsPerProject),
  }),
  ...(route.handler === createOrganization.handler && {
    [variables.maxOwnedOrganizations]: String(settings.maxOwnedOrganizations),
  }),
  ...(settings.limits[route.id] !== undefined && {
    [variables.limitPerMinute]: String(settings.limits[route.id]),
  }),
  ...(limitOf(route) !== undefined &&
    route.access !== "public" && {
      ...(settings.organizationLimitFactor !== defaultOrganizationFactor && {
        [variables.organizationLimitFactor]: String(settings.organizationLimitFactor),
      }),
      ...(settings.organizationLimits[route.id] !== undefined && {
        [variables.organizationLimit]: String(settings.organizationLimits[route.id]),
      }),
    }),
  ...(readsMuch(route) &&
    settings.readUnitsPerMinute !== undefined && { [variables.readUnits]: String(settings.readUnitsPerMinute) }),
  ...(route.grants.rows?.includes("PutItem") && { [variables.retentionDays]: String(settings.retentionDays) }),
  ...((route.grants.bodies?.includes("PutItem") === true || route.handler === listPrices.handler) &&
    tracePriceEnvironment(settings)),
  ...(startsTraces.has(route.handler) && {
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
    route.judges === true ||
    route.handler === getRunTemplate.handler) && {
    [variables.judgeModel]: settings.judgeModel,
    ...tierEnvironment(settings),
  }),
});
