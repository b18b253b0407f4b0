import { inject } from "vitest";
import { compareExperiments } from "../../../lib/contract/experiments/experiments.ts";
import { getTrust } from "../../../lib/contract/labels/trust.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { type Client, clientWith, newProject } from "./client.ts";
import type { Reply } from "../reply-shape.ts";

const service = inject("service");

/** Shared project for tests that call every route. */
export const project = newProject(service);

export const json = { "Content-Type": "application/json" };

/** Routes with the names shown in test titles. */
export const routesByName = (selectedRoutes: readonly Route[]): (readonly [name: string, route: Route])[] =>
  selectedRoutes.map((route) => [`${route.method} ${route.path}`, route]);

/** Routes with the service's own JSON format. */
export const jsonRoutes = routes.filter(({ protocol }) => protocol === undefined);

/** Returns the query that a route needs: a comparison's baseline, which may be the experiment itself, or the metric of a trust result. */
export const neededQuery = ({ id }: Route, { experiment_id }: Readonly<Record<string, string>>) =>
  id === compareExperiments.id && experiment_id !== undefined
    ? { baseline: experiment_id }
    : id === getTrust.id
      ? { metric: "helpful" }
      : {};

/** Sends a request that reaches the body's validation; an empty object where a body is expected. */
export const minimalRequest = (
  client: Client,
  route: Route,
  params: Readonly<Record<string, string>> = {},
): Promise<Reply> =>
  client.call(route, {
    params,
    query: neededQuery(route, params),
    ...(route.body === undefined ? {} : { bytes: "{}" }),
  });

/** A client that a route admits. */
export const callerOf = ({ access }: Route): Client =>
  access === "user" ? clientWith(service, { Authorization: `Bearer ${service.tenant.bearerToken}` }) : project;

const scoreTargets: Readonly<Record<string, string>> = { getTraceScores: "trace_id", getSessionScores: "session_id" };

/** Name of the id that a path parameter takes: where a target's scores are read, `score_id` takes the target's. */
export const idName = ({ id, path }: Route, parameter: string): string =>
  parameter === "item_id" && path.includes("/label-sets/")
    ? "label_item_id"
    : parameter === "score_id"
      ? (scoreTargets[id] ?? parameter)
      : parameter;
