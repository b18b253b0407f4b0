import { Duration, Fn, Stack } from "aws-cdk-lib";
import * as iam from "aws-cdk-lib/aws-iam";
import * as lambda from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { variables } from "../../lib/wiring/environment.ts";
import {
  tableNames,
  tables,
  tableVariable,
  type Grants,
  type TableAction,
  type TableDefinition,
  type TableName,
} from "../../lib/store/table.ts";
import packageFile from "../../package.json" with { type: "json" };
import type { Bundles } from "./bundles.ts";
import type { Data } from "../data.ts";
import { environmentFault } from "./environment-limit.ts";
import { laidOut, type Value } from "./function-environment.ts";
import { functionLogs } from "./function-logs.ts";
import type { Settings } from "../settings/settings.ts";

const reads: ReadonlySet<TableAction> = new Set(["GetItem", "BatchGetItem", "Query", "Scan", "ConditionCheckItem"]);

/** What every function of the stack is made from. */
export interface StackParts {
  readonly settings: Settings;
  readonly data: Data;
  readonly bundles: Bundles;
}

interface FunctionProps {
  readonly description: string;
  /** MB. */
  readonly memory: number;
  /** Seconds. */
  readonly timeout: number;
  /** The actions it may use on each table; each table's name is put into its environment. */
  readonly grants: Grants;
  /** Wins over what the house sets. */
  readonly environment?: Readonly<Record<string, Value>>;
  /** Where it writes its log; a group of its own when absent. */
  readonly logGroup?: ILogGroup;
}

/** A function that answers requests. */
export interface EndpointProps extends FunctionProps {
  /** The handler's file below `functions/`, without ending. */
  readonly handler: `api/${string}`;
}

/** A function that nobody calls over HTTP. */
export interface WorkerProps extends FunctionProps {
  /** The handler's file below `functions/`, without ending. */
  readonly handler: `workers/${string}`;
  /** What its failure means to a user of the service, and where to look: an alarm says so. */
  readonly impact: string;
}

/** A function with a role of its own: two resources, three with a log group, and no permission it was not given here. */
export class ServiceFunction extends Construct {
  readonly function: lambda.Function;
  private readonly permissions = new iam.PolicyDocument();

  constructor(scope: Construct, id: string, parts: StackParts, props: EndpointProps | WorkerProps) {
    super(scope, id);
    const logGroup = props.logGroup ?? functionLogs(this, "Logs", parts.settings);
    this.allow(["logs:CreateLogStream", "logs:PutLogEvents"], logGroup.logGroupArn);
    const role = new iam.Role(this, "Role", {
      assumedBy: new iam.ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: { Permissions: this.permissions },
    });
    const chosen = laidOut(props.environment ?? {});
    const granted = tableNames.filter((name) => props.grants[name] !== undefined);
    this.function = new lambda.Function(this, "Function", {
      description: props.description,
      code: parts.bundles(props.handler, chosen.files),
      handler: "index.handler",
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: props.memory,
      timeout: Duration.seconds(props.timeout),
      // X-Ray's permissions cannot be limited to a resource; the request id joins the logs instead.
      tracing: lambda.Tracing.DISABLED,
      logGroup,
      // As text Lambda would write three lines about each call, half of what is logged; failures and what does not start it still tells.
      loggingFormat: lambda.LoggingFormat.JSON,
      systemLogLevelV2: lambda.SystemLogLevel.WARN,
      role,
      environment: {
        [variables.stage]: parts.settings.stage,
        [variables.version]: packageFile.version,
        ...Object.fromEntries(granted.map((name) => [tableVariable(name), parts.data.table(name).tableName])),
        ...chosen.variables,
      },
    });
    const actions = granted.flatMap((name) => props.grants[name] ?? []);
    if (parts.settings.tablesKeyArn !== undefined && actions.length > 0)
      this.allowTableKey(parts.settings.tablesKeyArn, actions);
    for (const name of granted) this.allowTable(parts.data.table(name).tableArn, name, props.grants[name] ?? []);
    this.node.addValidation({ validate: () => this.faults(props.handler, parts.settings) });
  }

  /** Adds one statement to the function's own policy. */
  allow(actions: readonly string[], ...resources: readonly string[]): void {
    this.permissions.addStatements(new iam.PolicyStatement({ actions: [...actions], resources: [...resources] }));
  }

  /** Adds one statement that holds under conditions, by operator and key. */
  allowWhen(
    conditions: Readonly<Record<string, Readonly<Record<string, string>>>>,
    actions: readonly string[],
    ...resources: readonly string[]
  ): void {
    this.permissions.addStatements(
      new iam.PolicyStatement({ actions: [...actions], resources: [...resources], conditions }),
    );
  }

  /** Adds one statement that forbids under conditions. */
  denyWhen(
    conditions: Readonly<Record<string, Readonly<Record<string, string>>>>,
    actions: readonly string[],
    ...resources: readonly string[]
  ): void {
    this.permissions.addStatements(
      new iam.PolicyStatement({
        effect: iam.Effect.DENY,
        actions: [...actions],
        resources: [...resources],
        conditions,
      }),
    );
  }

  /** Others add variables until the template is written. */
  private faults(handler: string, settings: Settings): string[] {
    const resource = this.function.node.defaultChild;
    if (!(resource instanceof lambda.CfnFunction))
      throw new Error(`${handler}: the function has no resource of its own.`);
    const { variables } = Stack.of(this).resolve(resource.environment);
    const fault = environmentFault(handler, variables, settings);
    return fault === undefined ? [] : [fault];
  }

  /** Whoever reads or writes an encrypted table uses its key, by DynamoDB alone. */
  private allowTableKey(key: string, actions: readonly TableAction[]): void {
    const writing = ["Encrypt", "ReEncryptFrom", "ReEncryptTo", "GenerateDataKey", "GenerateDataKeyWithoutPlaintext"];
    const names = ["Decrypt", "DescribeKey", ...(actions.every((action) => reads.has(action)) ? [] : writing)];
    this.allowWhen(
      { StringEquals: { "kms:ViaService": Fn.sub("dynamodb.${AWS::Region}.${AWS::URLSuffix}") } },
      names.map((name) => `kms:${name}`),
      key,
    );
  }

  private allowTable(arn: string, name: TableName, actions: readonly TableAction[]): void {
    this.allow(
      actions.map((action) => `dynamodb:${action}`),
      arn,
    );
    const { indexes }: TableDefinition = tables[name];
    if (indexes === undefined || !actions.includes("Query")) return;
    this.allow(["dynamodb:Query"], ...Object.keys(indexes).map((index) => `${arn}/index/${index}`));
  }
}
