import { join } from "node:path";
import { Stack, type StackProps, Token } from "aws-cdk-lib";
import type { SpecRestApi } from "aws-cdk-lib/aws-apigateway";
import type { Alarm } from "aws-cdk-lib/aws-cloudwatch";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import {
  ASSET_RESOURCE_METADATA_ENABLED_CONTEXT,
  futureFlagDefault,
  PATH_METADATA_ENABLE_CONTEXT,
} from "aws-cdk-lib/cx-api";
import type { Construct, Node } from "constructs";
import { routes } from "../../lib/contract/routes.ts";
import type { TableName } from "../../lib/dynamo/table.ts";
import { prebuiltBundles } from "../functions/prebuilt-bundles.ts";
import { addService, commonStackProps, stackNameOf } from "../stack.ts";
import type { Build } from "../supply/build.ts";
import { type AssaySettings, stageSettings } from "./assay-settings.ts";

/** Version and commit of the package, which are written into it. */
declare const packageBuild: Build;

/** Properties of an Assay stack. Termination protection is on unless `terminationProtection` is false. */
export interface AssayStackProps extends StackProps {
  /** Name of the deployment and first segment of its URL. */
  readonly stage: string;
  /** The settings by name, as in a settings file. */
  readonly settings: AssaySettings;
  /** Name of the deployed stack; `assay-<stage>` when absent, by which Assay's commands find it. */
  readonly stackName?: string;
  /** Folder of a layer of functions with `nodejs/node_modules/@duckdb/node-api` for arm64; without it exports write no files. */
  readonly lakeLayer?: string;
}

/** Gives the stack one template in every app: without the app's feature flags, and without metadata, which takes a tenth of the template. */
const ignoreToolkitContext = (node: Node): void => {
  const context: Readonly<Record<string, unknown>> = node.getAllContext();
  for (const [key, value] of Object.entries(context))
    if (key.startsWith("@aws-cdk/") && typeof value === "boolean") node.setContext(key, futureFlagDefault(key));
  node.setContext(PATH_METADATA_ENABLE_CONTEXT, false);
  node.setContext(ASSET_RESOURCE_METADATA_ENABLED_CONTEXT, false);
};

/**
 * The CloudFormation stack of the whole service, with prebuilt functions, for a CDK app or a stage of a pipeline.
 *
 * @throws Error with one sentence for each setting that is unknown, invalid, or in conflict with another.
 */
export class AssayStack extends Stack {
  /** The REST API. */
  readonly api: SpecRestApi;
  /** Base URL of the API for clients. */
  readonly apiUrl: string;
  /** Returns the deployed name of a DynamoDB table. */
  readonly tableName: (table: TableName) => string;
  /** All alarms, for actions in addition to the topics. */
  readonly alarms: readonly Alarm[];
  /** Topics that the alarms notify: of `alarmEmail`, and `alarmTopicArn`. */
  readonly alarmTopics: readonly ITopic[];

  constructor(scope: Construct, id: string, { stage, settings, lakeLayer, ...stackProps }: AssayStackProps) {
    const parsedSettings = stageSettings(
      stage,
      settings,
      Token.isUnresolved(stackProps.env?.region) ? undefined : stackProps.env?.region,
    );
    super(scope, id, { ...commonStackProps, stackName: stackNameOf(stage), ...stackProps });
    ignoreToolkitContext(this.node);
    const bundles = prebuiltBundles(join(import.meta.dirname, "handlers"));
    const { api, data, operations } = addService(this, {
      settings: parsedSettings,
      bundles,
      build: packageBuild,
      routes,
      lakeLayer,
    });
    this.api = api.rest;
    this.apiUrl = api.url;
    this.tableName = (table) => data.table(table).tableName;
    this.alarms = operations.alarms;
    this.alarmTopics = operations.alarmTopics;
  }
}
