import { RemovalPolicy, Validations } from "aws-cdk-lib";
import * as dynamodb from "aws-cdk-lib/aws-dynamodb";
import { Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import { tableNames, tables, type TableDefinition, type TableName } from "../lib/store/table.ts";
import type { Settings } from "./settings/settings.ts";
import type { TableReference } from "./table-reference.ts";

/** Counters of a minute: nobody wants those of yesterday back. */
const isRecoverable = (name: TableName, { pointInTimeRecovery }: Settings): boolean =>
  pointInTimeRecovery[name] ?? name !== "limits";

const createTable = (scope: Construct, name: TableName, settings: Settings): dynamodb.Table => {
  const { tableProtection, tablesKeyArn, tableClass } = settings;
  const definition: TableDefinition = tables[name];
  const type = definition.binaryKeys ? dynamodb.AttributeType.BINARY : dynamodb.AttributeType.STRING;
  const key = (attribute: string): dynamodb.Attribute => ({ name: attribute, type });
  const table = new dynamodb.Table(scope, name, {
    partitionKey: key("pk"),
    ...(definition.sort && { sortKey: key("sk") }),
    ...(definition.ttl !== undefined && { timeToLiveAttribute: definition.ttl }),
    ...(definition.stream && { stream: dynamodb.StreamViewType.NEW_AND_OLD_IMAGES }),
    billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: isRecoverable(name, settings) },
    ...(tableClass[name] !== undefined && { tableClass: dynamodb.TableClass[tableClass[name]] }),
    ...(tablesKeyArn !== undefined && {
      encryption: dynamodb.TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: Key.fromKeyArn(scope, `${name}Key`, tablesKeyArn),
    }),
    deletionProtection: tableProtection,
    // But for those of a creation that failed, which are empty.
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  if (!isRecoverable(name, settings))
    Validations.of(table).acknowledge({
      id: "AwsSolutions-DDB3",
      reason: "Counters of a minute, or a table that the operator has chosen to keep without its past.",
    });
  for (const [indexName, index] of Object.entries(definition.indexes ?? {}))
    table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: key(index.partition),
      sortKey: key(index.sort),
      ...(typeof index.projection === "string"
        ? { projectionType: dynamodb.ProjectionType[index.projection] }
        : { projectionType: dynamodb.ProjectionType.INCLUDE, nonKeyAttributes: [...index.projection] }),
    });
  return table;
};

/**
 * The tables of `lib/store/table.ts`. Taking the stack down leaves them and what is in them.
 *
 * In place of a table that was restored the stack makes none: the one it made before is left as it is, out of the stack.
 */
export class Data extends Construct {
  private readonly used = new Map<TableName, TableReference>();

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { restoredTables: restored } = settings;
    for (const name of tableNames) this.used.set(name, restored[name] ?? createTable(this, name, settings));
  }

  /** What is to be granted, read and named. */
  table(name: TableName): TableReference {
    const table = this.used.get(name);
    if (table === undefined) throw new Error(`There is no table ${name}.`);
    return table;
  }
}
