import { CfnOutput, Fn, Stack, type StackProps, Tags } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Route } from "../lib/contract/route.ts";
import { tableNames } from "../lib/dynamo/table.ts";
import { withLimits } from "./api/route-limits.ts";
import { AccessChanges } from "./access-changes.ts";
import { Api } from "./api/api.ts";
import type { Bundles } from "./functions/prebuilt-bundles.ts";
import { Data } from "./data.ts";
import { Evaluation } from "./evaluation.ts";
import { FunctionRoles } from "./functions/function-roles.ts";
import { variables } from "../lib/wiring/environment.ts";
import { allowEvents } from "./functions/event-access.ts";
import type { ServiceFunction } from "./functions/service-function.ts";
import { StreamWorker } from "./functions/stream-worker.ts";
import { GatewayKeys } from "./gateway-keys.ts";
import { Lake } from "./lake/lake.ts";
import { Monitors } from "./monitors.ts";
import { Notifications } from "./notifications/notifications.ts";
import { Operations } from "./operations.ts";
import { applyRoleRules } from "./role-rules.ts";
import { ScoreStatistics } from "./score-statistics.ts";
import { judgeMetadata, settingsMetadata } from "./settings/running-settings.ts";
import type { Settings } from "./settings/settings.ts";
import { type Build, buildMetadata, buildOutputs } from "./supply/build.ts";
import { tableOutput } from "./table-reference.ts";
import { TraceMaintenance } from "./trace-maintenance.ts";

/** Validated settings, handler bundles and routes of a service. */
export interface ServiceProps {
  readonly settings: Settings;
  readonly bundles: Bundles;
  readonly build: Build;
  readonly routes: readonly Route[];
  /** Folder of a layer of functions with `nodejs/node_modules/@duckdb/node-api` for arm64; without it exports write no files. */
  readonly lakeLayer?: string | undefined;
}

/** Properties of the service's stack that do not depend on settings. */
export const commonStackProps = {
  description: "Assay: trace store and evaluation service",
  terminationProtection: true,
  analyticsReporting: false,
  // Indentation would be two fifths of the template; CloudFormation accepts 1 MB.
  suppressTemplateIndentation: true,
} as const satisfies StackProps;

/** Returns the name of a stage's stack. */
export const stackNameOf = (stage: string): string => `assay-${stage}`;

/** Lets the sweeper read the state of the mappings of all stream workers: a worker whose mapping is off publishes nothing. */
const watchMappings = (sweeper: ServiceFunction): void => {
  const workers = Stack.of(sweeper)
    .node.findAll()
    .filter((construct) => construct instanceof StreamWorker);
  sweeper.allow(["lambda:GetEventSourceMapping"], ...workers.map(({ mapping }) => mapping.eventSourceMappingArn));
  sweeper.function.addEnvironment(
    variables.streamMappings,
    Fn.join(
      " ",
      workers.map(({ worker, mapping }) => `${worker.shortName}=${mapping.eventSourceMappingId}`),
    ),
  );
};

/** Resource types with most resources, which CloudFormation tags with the stack's tags: not repeated, for the template's size. */
const taggedByStack = ["AWS::Lambda::Function", "AWS::Logs::LogGroup", "AWS::IAM::Role"];

/** Adds a tag to the stack and its resources. The stack is named, since an app's feature flag can exclude it. */
const addTag = (stack: Stack, key: string, value: string): void => {
  Tags.of(stack).add(key, value, { includeResourceTypes: ["aws:cdk:stack"] });
  Tags.of(stack).add(key, value, { excludeResourceTypes: [...taggedByStack, "aws:cdk:stack"] });
};

/** Adds the whole service to an empty stack: a construct for each part. */
export const addService = (stack: Stack, { settings, bundles, build, routes, lakeLayer }: ServiceProps) => {
  for (const [key, value] of Object.entries({ service: "assay", stage: settings.stage, ...settings.tags }))
    addTag(stack, key, value);
  applyRoleRules(stack, settings);

  stack.templateOptions.metadata = {
    [buildMetadata]: build,
    [settingsMetadata]: JSON.stringify(settings.explicitSettings),
    [judgeMetadata]: settings.judgeModel,
  };

  const data = new Data(stack, "Data", settings);
  const roles = new FunctionRoles(stack, "Roles");
  const parts = { settings, build, data, bundles, roles };
  const traces = new TraceMaintenance(stack, "TraceUpkeep", parts);
  const { deadLetters } = traces;
  const lake = new Lake(stack, "Lake", parts, deadLetters, lakeLayer);
  const { followScores } = new ScoreStatistics(stack, "ScoreStatistics", parts, deadLetters);
  const { sweeper, followRuns } = new Evaluation(stack, "Evaluation", parts);
  traces.reprice.allowStarting(sweeper);
  lake.allowSweeping(sweeper);
  const monitors = new Monitors(stack, "Monitoring", parts, deadLetters);
  monitors.allowSweeping(sweeper);
  const api = new Api(stack, "Api", parts, withLimits(routes, settings), { monitors, lake });
  traces.deployBefore(api.routes.functionOf("getSession"));
  const { worker } = new AccessChanges(stack, "Invitations", parts, deadLetters);
  allowEvents([worker, followRuns, followScores.worker], settings, api.url);
  new GatewayKeys(stack, "GatewayKeys", parts, { planId: api.clientsPlanId, worker });
  const { notifications } = settings;
  if (notifications !== undefined) new Notifications(stack, "Notifications", { ...settings, notifications });
  const operations = new Operations(stack, "Operations", parts, api, monitors);
  watchMappings(sweeper);
  roles.create();

  for (const name of tableNames)
    new CfnOutput(stack, tableOutput(name), {
      ...(name === "access" && {
        description: "Table of organizations, users and API keys; npm run create-key writes to it.",
      }),
      value: data.table(name).tableName,
    });
  new CfnOutput(stack, buildOutputs.version, { description: "Version of the build.", value: build.version });
  new CfnOutput(stack, buildOutputs.commit, { description: "Commit of the build.", value: build.commit });
  const restored = Object.entries(settings.restoredTables).map(([name, table]) => `${name}: ${table?.tableName}`);
  if (restored.length > 0)
    new CfnOutput(stack, "RestoredTables", {
      description: "Restored tables in use instead of the tables that the stack creates.",
      value: restored.join(", "),
    });
  return { data, api, operations };
};

/** The CloudFormation stack of the whole service, for the CDK app of this repository; `AssayStack` is for other apps. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: ServiceProps) {
    super(scope, id, commonStackProps);
    addService(this, props);
  }
}
