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

/** Lets a function add to the audit, and to nothing else of who may do what. */
const noteDeletions = (made: ServiceFunction, { data }: StackParts): void => {
  // The key has a value for each item. No value at all would satisfy the first condition.
  const onlyAudit = {
    "ForAllValues:StringLike": { "dynamodb:LeadingKeys": auditPartition("*") },
    Null: { "dynamodb:LeadingKeys": "false" },
  };
  made.allowWhen(onlyAudit, ["dynamodb:PutItem"], data.table("access").tableArn);
  made.function.addEnvironment(variables.auditDeletions, "true");
};

/** A route's resource: the first segment of its path. */
const resourceOf = ({ path }: Route): string => path.split("/")[1] ?? "";

/** What some routes' functions rest on. */
export interface RouteHelpers {
  readonly monitors: Monitors;
  /** Makes the project that an API key names first. */
  readonly maker: Worker;
}

/** One function for each route that has its own; for each resource one log group, and one role through which the gateway calls its functions. */
export class RouteFunctions extends Construct {
  /** What the functions write to, one for each resource. */
  readonly logGroups: ILogGroup[] = [];
  private readonly functions = new Map<string, IFunction>();
  private readonly invocations = new Map<string, Invocation>();

  constructor(scope: Construct, id: string, parts: StackParts, routes: readonly Route[], helpers: RouteHelpers) {
    super(scope, id);
    const made = routes.filter(({ answeredBy }) => answeredBy === undefined);
    for (const [resource, group] of Map.groupBy(made, resourceOf)) {
      const name = pascalCase(resource);
      const logs = functionLogs(this, `${name}Logs`, parts.settings);
      this.logGroups.push(logs);
      const functions = new Map(group.map((route) => [route.id, this.make(route, parts, logs, helpers).function]));
      // One role for all 70 functions would come near the 10,240 characters that its policy may have.
      const { roleArn } = invokeRole(this, `Invoke${name}`, [...functions.values()]);
      for (const [id, made] of functions) {
        this.functions.set(id, made);
        this.invocations.set(id, { functionArn: made.functionArn, roleArn });
      }
    }
  }

  /** How the gateway calls a route's function. @throws Error for a route that is not in the table of routes. */
  invocation(route: Route): Invocation {
    const invocation = this.invocations.get(route.answeredBy ?? route.id);
    if (invocation === undefined) throw new Error(`The route ${route.id} has no function.`);
    return invocation;
  }

  /** The function of a route, by the route's id. @throws Error when there is none. */
  functionOf(id: string): IFunction {
    const found = this.functions.get(id);
    if (found === undefined) throw new Error(`The route ${id} has no function.`);
    return found;
  }

  private make(route: Route, parts: StackParts, logGroup: ILogGroup, helpers: RouteHelpers): ServiceFunction {
    const { maker, monitors } = helpers;
    const made = new ServiceFunction(this, route.id, parts, {
      handler: route.handler,
      description: `${route.method} ${route.path}: ${route.summary}`,
      memory: route.memory ?? 512,
      // 29 s: API Gateway's ceiling.
      timeout: route.timeout ?? 29,
      grants: routeGrants(route),
      environment: routeEnvironment(route, parts.settings),
      logGroup,
    });
    if (route.access === "project") {
      made.allow(["lambda:InvokeFunction"], maker.function.functionArn);
      made.function.addEnvironment(variables.projectMaker, maker.function.functionName);
    }
    if (route.notesDeletions && parts.settings.auditDeletions) noteDeletions(made, parts);
    if (route.schedules) monitors.allowScheduling(made);
    if (route.readsProviders) allowProviderSettings(made, parts.settings);
    if (route.judges) {
      allowJudging(made, parts.settings);
      joinNetwork(made, parts.settings);
    }
    return made;
  }
}
