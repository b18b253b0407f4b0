import { Duration, Fn, Size, Stack } from "aws-cdk-lib";
import * as iam from "aws-cdk-lib/aws-iam";
import * as lambda from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { variables } from "../../lib/wiring/environment.ts";
import {
  accessActions,
  accessPartitions,
  grantedActions,
  tableNames,
  tables,
  tableVariable,
  type AccessGrants,
  type Grants,
  type TableAction,
  type TableDefinition,
  type TableName,
} from "../../lib/dynamo/table.ts";
import type { Build } from "../supply/build.ts";
import type { Bundles } from "./prebuilt-bundles.ts";
import type { Data } from "../data.ts";
import { environmentFault } from "./environment-limit.ts";
import { splitEnvironment, type EnvironmentValue } from "./function-environment.ts";
import { functionLogs } from "./function-logs.ts";
import type { FunctionPermissions, FunctionRoles, RuleAcknowledgement } from "./function-roles.ts";
import { pathInStack } from "../path-in-stack.ts";
import { viaService } from "./via-service.ts";
import type { Settings } from "../settings/settings.ts";

const readActions: ReadonlySet<TableAction> = new Set([
  "GetItem",
  "BatchGetItem",
  "Query",
  "Scan",
  "ConditionCheckItem",
]);

/** Settings, build, tables, handler bundles and roles from which every function of the stack is built. */
export interface StackParts {
  readonly settings: Settings;
  readonly build: Build;
  readonly data: Data;
  readonly bundles: Bundles;
  readonly roles: FunctionRoles;
}

interface FunctionProps {
  readonly description: string;
  /** Memory in MB. */
  readonly memory: number;
  /** Timeout in seconds. */
  readonly timeout: number;
  /** Size of `/tmp` in MB; Lambda's 512 when undefined. */
  readonly storage?: number;
  readonly layers?: lambda.ILayerVersion[];
  /** Concurrent executions that are reserved for the function, and its maximum; none and no maximum when undefined. */
  readonly concurrency?: number | undefined;
  /** DynamoDB actions that the function may use, by table; the environment contains the names of these tables. */
  readonly grants: Grants;
  /** Additional variables; they override the common ones. */
  readonly environment?: Readonly<Record<string, EnvironmentValue>>;
  /** Log group that functions share, and the name of their subject; a separate group is created when absent. */
  readonly sharedLogs?: { readonly group: ILogGroup; readonly name: string };
}

/** Properties of a function that answers HTTP requests. */
export interface EndpointProps extends FunctionProps {
  /** Path of the handler below `functions/`, without extension. */
  readonly handler: `api/${string}`;
}

/** Properties of a function that handles events instead of HTTP requests. */
export interface WorkerProps extends FunctionProps {
  /** Path of the handler below `functions/`, without extension. */
  readonly handler: `workers/${string}`;
  /** Alarm description for a failure of the function: effect on users of the service, and where to look. */
  readonly impact: string;
}

/**
 * A Lambda function whose role has only permissions that are listed here; one resource, two with a log group, and a role unless
 * another function has equal permissions.
 */
export class ServiceFunction extends Construct implements FunctionPermissions {
  readonly function: lambda.Function;
  // Merged and sorted, so that equal permissions give equal text.
  readonly policy = new iam.PolicyDocument({ minimize: true });
  readonly acknowledgements: RuleAcknowledgement[] = [];

  constructor(scope: Construct, id: string, parts: StackParts, props: EndpointProps | WorkerProps) {
    super(scope, id);
    const { group: logGroup, name } = props.sharedLogs ?? {
      group: functionLogs(this, "Logs", parts.settings),
      name: pathInStack(this).join(""),
    };
    this.allow(["logs:CreateLogStream", "logs:PutLogEvents"], logGroup.logGroupArn);
    const environment = splitEnvironment(props.environment ?? {});
    const grantedTables = tableNames.filter((name) => grantedActions(props.grants, name).length > 0);
    this.function = new lambda.Function(this, "Function", {
      description: props.description,
      code: parts.bundles(props.handler, environment.files),
      handler: "index.handler",
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: props.memory,
      ...(props.storage !== undefined && { ephemeralStorageSize: Size.mebibytes(props.storage) }),
      ...(props.layers !== undefined && { layers: props.layers }),
      timeout: Duration.seconds(props.timeout),
      ...(props.concurrency !== undefined && { reservedConcurrentExecutions: props.concurrency }),
      // X-Ray's permissions cannot be limited to a resource; logs are joined by request id instead.
      tracing: lambda.Tracing.DISABLED,
      logGroup,
      // In text format Lambda writes three lines for each call, half of all log data; JSON at level WARN keeps failures and failed starts.
      loggingFormat: lambda.LoggingFormat.JSON,
      systemLogLevelV2: lambda.SystemLogLevel.WARN,
      role: parts.roles.roleOf(this, name, this),
      environment: {
        [variables.stage]: parts.settings.stage,
        ...Object.fromEntries(grantedTables.map((name) => [tableVariable(name), parts.data.table(name).tableName])),
        ...environment.variables,
      },
    });
    const actions = grantedTables.flatMap((name) => grantedActions(props.grants, name));
    if (parts.settings.tablesKeyArn !== undefined && actions.length > 0)
      this.allowTableKey(parts.settings.tablesKeyArn, actions);
    for (const name of grantedTables) {
      const { tableArn } = parts.data.table(name);
      if (name === "access") this.allowAccess(tableArn, props.grants.access ?? {});
      else this.allowTable(tableArn, name, props.grants[name] ?? []);
    }
    this.node.addValidation({ validate: () => this.environmentFaults(props.handler, parts.settings) });
  }

  /** Adds an allow statement to the policy of the function's role. */
  allow(actions: readonly string[], ...resources: readonly string[]): void {
    this.policy.addStatements(new iam.PolicyStatement({ actions: [...actions], resources: [...resources] }));
  }

  /** Adds an allow statement with conditions, by operator and key, to the policy of the function's role. */
  allowWhen(
    conditions: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>,
    actions: readonly string[],
    ...resources: readonly string[]
  ): void {
    this.policy.addStatements(
      new iam.PolicyStatement({ actions: [...actions], resources: [...resources], conditions }),
    );
  }

  /** Adds a deny statement with conditions, by operator and key, to the policy of the function's role. */
  denyWhen(
    conditions: Readonly<Record<string, Readonly<Record<string, string>>>>,
    actions: readonly string[],
    ...resources: readonly string[]
  ): void {
    this.policy.addStatements(
      new iam.PolicyStatement({
        effect: iam.Effect.DENY,
        actions: [...actions],
        resources: [...resources],
        conditions,
      }),
    );
  }

  /** Accepts that the permissions break a lint rule, for a reason. */
  acknowledge(acknowledgement: RuleAcknowledgement): void {
    this.acknowledgements.push(acknowledgement);
  }

  /** Checks the size of the final environment; runs at synthesis, since other constructs add variables until then. */
  private environmentFaults(handler: string, settings: Settings): string[] {
    const resource = this.function.node.defaultChild;
    if (!(resource instanceof lambda.CfnFunction))
      throw new Error(`${handler}: the function has no resource of its own.`);
    const { variables } = Stack.of(this).resolve(resource.environment);
    const fault = environmentFault(handler, variables, settings);
    return fault === undefined ? [] : [fault];
  }

  /** Lets the function use the KMS key of encrypted tables, through DynamoDB only. */
  private allowTableKey(key: string, actions: readonly TableAction[]): void {
    const writeActions = [
      "Encrypt",
      "ReEncryptFrom",
      "ReEncryptTo",
      "GenerateDataKey",
      "GenerateDataKeyWithoutPlaintext",
    ];
    const names = [
      "Decrypt",
      "DescribeKey",
      ...(actions.every((action) => readActions.has(action)) ? [] : writeActions),
    ];
    this.allowWhen(
      viaService("dynamodb"),
      names.map((name) => `kms:${name}`),
      key,
    );
  }

  /**
   * Allows actions on partitions of the table `access`, one statement for all partitions of an action: a batch, and the items of a
   * transaction with one action, have to match a single statement.
   */
  private allowAccess(arn: string, grants: AccessGrants): void {
    const keysOf = (action: keyof AccessGrants): string =>
      (grants[action] ?? []).map((partition) => accessPartitions[partition]).join(" ");
    for (const [keys, actions] of Map.groupBy(accessActions(grants), keysOf))
      this.allowWhen(
        {
          "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys.split(" ") },
          // The condition above also holds for a request without keys, such as a scan.
          Null: { "dynamodb:LeadingKeys": "false" },
        },
        actions.map((action) => `dynamodb:${action}`),
        arn,
      );
  }

  private allowTable(arn: string, name: TableName, actions: readonly TableAction[]): void {
    this.allow(
      actions.map((action) => `dynamodb:${action}`),
      arn,
    );
    const { indexes }: TableDefinition = tables[name];
    if (indexes === undefined || !actions.includes("Query")) return;
    const indexed = this.textOf(arn);
    this.allow(["dynamodb:Query"], ...Object.keys(indexes).map((index) => Fn.sub(`${indexed}/index/${index}`)));
  }

  /** Returns an ARN as text for `Fn.sub`, the shortest form of a longer ARN: a reference to a resource, or the ARN itself. */
  private textOf(arn: string): string {
    const resolved = JSON.stringify(Stack.of(this).resolve(arn));
    const id = /^\{"Fn::GetAtt":\["(\w+)","Arn"\]\}$/u.exec(resolved)?.[1];
    return id === undefined ? arn : `\${${id}.Arn}`;
  }
}
