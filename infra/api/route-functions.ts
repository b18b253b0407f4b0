import { Construct } from "constructs";
import type { Route } from "../../lib/contract/route.ts";
import { auditPartition } from "../../lib/store/access/keys.ts";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Invocation } from "./api-definition.ts";
import { functionLogs } from "../functions/function-logs.ts";
import { invokeRole } from "./invoke-role.ts";
import { joinNetwork } from "../functions/judge-network.ts";
import { allowJudging, allowProviderSettings } from "../functions/judge-access.ts";
import type { Monitors } from "../monitors.ts";
import type { Worker } from "../functions/worker.ts";
import { variables } from "../../lib/wiring/environment.ts";
import { routeEnvironment, routeGrants } from "./route-grants.ts";
import { ServiceFunction, type StackParts } from "../functions/service-function.ts";

const pascalCase = (name: string): string =>
  name.replaceAll(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/gu, (_all, letter: string) => letter.toUpperCase());

/** Lets a function add audit events to the table `access`, and no other items of that table. */
const allowAuditing = (routeFunction: ServiceFunction, { data }: StackParts): void => {
  // The condition key has a value for each item. A request without a value would satisfy the first condition alone.
  const onlyAudit = {
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": auditPartition("*") },
    Null: { "dynamodb:LeadingKeys": "false" },
  };
  routeFunction.allowWhen(onlyAudit, ["dynamodb:PutItem"], data.table("access").tableArn);
  routeFunction.function.addEnvironment(variables.auditDeletions, "true");
};

/** Returns the resource of a route: the first segment of its path. */
const resourceOf = ({ path }: Route): string => path.split("/")[1] ?? "";

/** Constructs that some route functions need. */
export interface RouteHelpers {
  readonly monitors: Monitors;
  /** Function that creates a project when an API key uses its name for the first time. */
  readonly projectMaker: Worker;
}

/** Creates one function for each route that is not answered by another route's function, and one log group and one invoke role for each resource. */
export class RouteFunctions extends Construct {
  /** Log groups of the functions, one for each resource. */
  readonly logGroups: ILogGroup[] = [];
  private readonly functions = new Map<string, IFunction>();
  private readonly invocations = new Map<string, Invocation>();

  constructor(scope: Construct, id: string, parts: StackParts, routes: readonly Route[], helpers: RouteHelpers) {
    super(scope, id);
    const ownRoutes = routes.filter(({ answeredBy }) => answeredBy === undefined);
    for (const [resource, group] of Map.groupBy(ownRoutes, resourceOf)) {
      const name = pascalCase(resource);
      const logs = functionLogs(this, `${name}Logs`, parts.settings);
      this.logGroups.push(logs);
      const functions = new Map(
        group.map((route) => [route.id, this.createFunction(route, parts, logs, helpers).function]),
      );
      // One role for all 70 functions would come near the limit of 10,240 characters for its policy.
      const { roleArn } = invokeRole(this, `Invoke${name}`, [...functions.values()]);
      for (const [id, routeFunction] of functions) {
        this.functions.set(id, routeFunction);
        this.invocations.set(id, { functionArn: routeFunction.functionArn, roleArn });
      }
    }
  }

  /** Returns the ARNs by which the gateway calls a route's function. @throws Error if the route has no function. */
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

  private createFunction(route: Route, parts: StackParts, logGroup: ILogGroup, helpers: RouteHelpers): ServiceFunction {
    const { projectMaker, monitors } = helpers;
    const routeFunction = new ServiceFunction(this, route.id, parts, {
      handler: route.handler,
      description: `${route.method} ${route.path}: ${route.summary}`,
      memory: route.memory ?? 512,
      // 29 s: API Gateway's ceiling.
      timeout: route.timeout ?? 29,
      grants: routeGrants(route),
      environment: routeEnvironment(route, parts),
      logGroup,
    });
    if (route.access === "project") {
      routeFunction.allow(["lambda:InvokeFunction"], projectMaker.function.functionArn);
      routeFunction.function.addEnvironment(variables.projectMaker, projectMaker.function.functionName);
    }
    if (route.auditsDeletions && parts.settings.auditDeletions) allowAuditing(routeFunction, parts);
    if (route.managesSchedules) monitors.allowScheduling(routeFunction);
    if (route.readsProviders) allowProviderSettings(routeFunction, parts.settings);
    if (route.callsJudges) {
      allowJudging(routeFunction, parts.settings);
      joinNetwork(routeFunction, parts.settings);
    }
    return routeFunction;
  }
}
