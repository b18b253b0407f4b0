import { Construct } from "constructs";
import { makesProject, type Route } from "../../lib/contract/route.ts";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Invocation } from "./api-definition.ts";
import { functionLogs } from "../functions/function-logs.ts";
import { logicalId } from "../path-in-stack.ts";
import { ingestShares } from "./ingest-shares.ts";
import { invokeRole } from "./invoke-role.ts";
import { joinNetwork } from "../functions/judge-network.ts";
import { allowJudging, allowProviderSettings, judgeServers } from "../functions/judge-access.ts";
import type { Lake } from "../lake/lake.ts";
import type { Monitors } from "../monitors.ts";
import type { Worker } from "../functions/worker.ts";
import { variables } from "../../lib/wiring/environment.ts";
import { routeEnvironment, routeGrants } from "./route-grants.ts";
import { type EndpointProps, ServiceFunction, type StackParts } from "../functions/service-function.ts";

const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/gu, (_all, letter: string) => letter.toUpperCase());

/** Returns the resource in whose log group a route's function writes: the first segment of its path, unless the route names another. */
const resourceOf = ({ path, logsWith }: Route): string => logsWith ?? path.split("/")[1] ?? "";

/** Constructs that some route functions need. */
export interface RouteHelpers {
  readonly monitors: Monitors;
  readonly lake: Lake;
  /** Function that creates a project when an API key uses its name for the first time. */
  readonly projectMaker: Worker;
}

/** Returns the directory of a route's handler: its subject, of which there are more than resources. */
const subjectOf = ({ handler }: Route): string => handler.split("/").slice(1, -1).join("/");

/**
 * Creates one function for each route that is not answered by another route's function, one log group for each resource, and one
 * invoke role for each subject: an invoke role has room for 80 functions.
 */
export class RouteFunctions extends Construct {
  /** Log groups of the functions, one for each resource. */
  readonly logGroups: ILogGroup[] = [];
  private readonly reservedShares: ReadonlyMap<string, number>;
  private readonly functions = new Map<string, IFunction>();
  private readonly invocations = new Map<string, Invocation>();

  /** Handlers of routes that make the project which a request names for the first time. */
  private readonly projectMakers: ReadonlySet<string>;

  constructor(scope: Construct, id: string, parts: StackParts, routes: readonly Route[], helpers: RouteHelpers) {
    super(scope, id);
    this.projectMakers = new Set(routes.filter(makesProject).map(({ handler }) => handler));
    this.reservedShares = ingestShares(routes, parts.settings.ingestConcurrency);
    const ownRoutes = routes.filter(({ answeredBy }) => answeredBy === undefined);
    for (const [resource, group] of Map.groupBy(ownRoutes, resourceOf)) {
      const name = pascalCase(resource);
      const logs = functionLogs(this, `${name}Logs`, parts.settings);
      this.logGroups.push(logs);
      const sharedLogs = { group: logs, name };
      for (const route of group)
        this.functions.set(route.id, this.createFunction(route, parts, sharedLogs, helpers).function);
    }
    for (const [subject, group] of Map.groupBy(ownRoutes, subjectOf)) {
      const functions = group.map(({ id: routeId }) => [routeId, this.functionOf(routeId)] as const);
      const { roleArn } = invokeRole(
        this,
        `Invoke${pascalCase(subject)}`,
        functions.map(([, routeFunction]) => routeFunction),
      );
      for (const [routeId, routeFunction] of functions)
        this.invocations.set(routeId, { functionId: logicalId(routeFunction), roleArn });
    }
  }

  /** Returns the references by which the gateway calls a route's function. @throws Error if the route has no function. */
  invocation(route: Route): Invocation {
    const invocation = this.invocations.get(route.answeredBy ?? route.id);
    if (invocation === undefined) throw new Error(`The route ${route.id} has no function.`);
    return invocation;
  }

  /** Returns the function of a route by the route's id. @throws Error if the route has none. */
  functionOf(id: string): IFunction {
    const routeFunction = this.functions.get(id);
    if (routeFunction === undefined) throw new Error(`The route ${id} has no function.`);
    return routeFunction;
  }

  private createFunction(
    route: Route,
    parts: StackParts,
    sharedLogs: NonNullable<EndpointProps["sharedLogs"]>,
    helpers: RouteHelpers,
  ): ServiceFunction {
    const { projectMaker, monitors, lake } = helpers;
    const routeFunction = new ServiceFunction(this, route.id, parts, {
      handler: route.handler,
      description: `${route.method} ${route.path}`,
      memory: route.memory ?? 512,
      // 29 s: API Gateway's ceiling.
      timeout: route.timeout ?? 29,
      concurrency: this.reservedShares.get(route.id),
      grants: routeGrants(route, parts.settings),
      environment: routeEnvironment(route, parts),
      sharedLogs,
    });
    if (this.projectMakers.has(route.handler))
      routeFunction.allow(["lambda:InvokeFunction"], projectMaker.function.functionArn);
    if (route.access === "project")
      routeFunction.function.addEnvironment(variables.projectMaker, projectMaker.function.functionName);
    if (route.managesSchedules) monitors.allowScheduling(routeFunction);
    if (route.exportsFiles) lake.allowExports(routeFunction);
    if (route.searchesLake) lake.allowSearch(routeFunction);
    if (route.readsProviders) allowProviderSettings(routeFunction, parts.settings);
    if (route.readsJudgeServers) allowProviderSettings(routeFunction, judgeServers(parts.settings));
    if (route.callsJudges) {
      allowJudging(routeFunction, parts.settings);
      joinNetwork(routeFunction, parts.settings);
    }
    return routeFunction;
  }
}
