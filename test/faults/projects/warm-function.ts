import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Route } from "../../../lib/contract/route.ts";
import { createMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { type Caller, newExchange } from "../../../lib/http/exchange.ts";
import { projectGuards } from "../../../lib/http/guards/project-guard.ts";
import type { CreateNamedProject } from "../../../lib/http/guards/caller-projects.ts";
import { contextOfCaller, type VerifiedCaller } from "../../../lib/http/guards/principal-context.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { rateLimits } from "../../../lib/store/limits/rate-limits.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import type { FaultyDatabase } from "../../support/faults/faults.ts";
import { someMonitor } from "../../support/monitors.ts";
import { someTrace } from "../../support/traces/traces.ts";

/** Kinds of client requests in a project; the writing kinds return the id of the stored item. */
export const requestKinds = ["trace", "monitor", "read"] as const;
export type RequestKind = (typeof requestKinds)[number];

const routeOf: Readonly<Record<RequestKind, Route>> = { trace: createTrace, monitor: createMonitor, read: listTraces };

const store: Readonly<
  Record<RequestKind, (connection: Database, project: string, now: () => number) => Promise<string>>
> = {
  trace: async (connection, project, now) => {
    const trace = someTrace();
    await traceStore(connection, 0, now).save(project, trace);
    return trace.trace_id;
  },
  monitor: async (connection, project, now) => {
    return (await monitorStore(connection, now).create(someMonitor(project, { cadence: "weekly" }, now()))).monitor.id;
  },
  read: async () => "",
};

/** A sandbox of a route's function, whose caches last as long as the sandbox. */
export interface WarmFunction {
  readonly database: FaultyDatabase;
  /**
   * Runs the access guard and the request.
   * @returns the admitted caller and the id of the stored item.
   * @throws Refusal or the database's error.
   */
  call(
    caller: VerifiedCaller,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly caller: Caller; readonly id: string }>;
}

/** Limit factor that keeps requests far below every rate limit. */
const factor = 300;

export const warmFunction = (kind: RequestKind, database: FaultyDatabase, now: () => number): WarmFunction => {
  const access = accessStore(database, 1_000, now);
  const createNamedProject: CreateNamedProject = (key, name) =>
    access.findOrCreateProject(key.organizationId, name, key);
  const { named } = projectGuards(access, createNamedProject, rateLimits(database, now), factor, now);
  return {
    database,
    call: async (verified, headers) => {
      const event = {
        multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
        requestContext: { authorizer: contextOfCaller(verified) },
      } as unknown as APIGatewayProxyEvent;
      const caller = await named.admit(newExchange(event, routeOf[kind]));
      return { caller, id: await store[kind](database, caller.project.id, now) };
    },
  };
};
