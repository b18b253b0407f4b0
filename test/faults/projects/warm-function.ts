import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Route } from "../../../lib/contract/route.ts";
import { createMonitor } from "../../../lib/contract/monitors/monitors.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { type Caller, projectGate } from "../../../lib/http/gate.ts";
import type { MakeNamedProject } from "../../../lib/http/caller-projects.ts";
import { contextOf, type Verified } from "../../../lib/http/principal-context.ts";
import { accessStore } from "../../../lib/store/access/projects-of-callers.ts";
import { rateLimits } from "../../../lib/store/limits/rate-limits.ts";
import type { Database } from "../../../lib/store/database.ts";
import { monitorStore } from "../../../lib/store/monitors/monitors.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import type { FaultyDatabase } from "../../support/faults/faults.ts";
import { someMonitor } from "../../support/monitors.ts";
import { someTrace } from "../../support/traces/traces.ts";

/** What a client may ask of a project; what is stored has an id. */
export const deeds = ["trace", "monitor", "read"] as const;
export type Deed = (typeof deeds)[number];

const routeOf: Readonly<Record<Deed, Route>> = { trace: createTrace, monitor: createMonitor, read: listTraces };

const store: Readonly<Record<Deed, (own: Database, project: string, now: () => number) => Promise<string>>> = {
  trace: async (own, project, now) => {
    const trace = someTrace();
    await traceStore(own, 0, now).save(project, trace);
    return trace.trace_id;
  },
  monitor: async (own, project, now) => {
    return (await monitorStore(own, now).create(someMonitor(project, { cadence: "weekly" }, now()))).monitor.id;
  },
  read: async () => "",
};

/** One sandbox of a route's function: it remembers for as long as it lives. */
export interface WarmFunction {
  readonly database: FaultyDatabase;
  /** @returns whom it let in and what it stored. @throws Refusal or what the database said. */
  call(
    caller: Verified,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly caller: Caller; readonly id: string }>;
}

/** Far from every limit of the routes. */
const factor = 300;

export const warmFunction = (deed: Deed, database: FaultyDatabase, now: () => number): WarmFunction => {
  const access = accessStore(database, 1_000, now);
  const makeNamed: MakeNamedProject = (key, name) => access.projectNamed(key.organizationId, name, key);
  const gate = projectGate(access, makeNamed, rateLimits(database, now), factor, now);
  return {
    database,
    call: async (verified, headers) => {
      const event = {
        multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
        requestContext: { authorizer: contextOf(verified) },
      } as unknown as APIGatewayProxyEvent;
      const caller = await gate.admit(event, routeOf[deed]);
      return { caller, id: await store[deed](database, caller.project.id, now) };
    },
  };
};
