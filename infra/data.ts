import { RemovalPolicy, Validations } from "aws-cdk-lib";
import * as dynamodb from "aws-cdk-lib/aws-dynamodb";
import { Key } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import { tableNames, tables, type TableDefinition, type TableName } from "../lib/dynamo/table.ts";
import type { Settings } from "./settings/settings.ts";
import type { TableReference } from "./table-reference.ts";

/** True if a table has point-in-time recovery; by default all but `limits`, whose counters expire within minutes. */
const isRecoverable = (name: TableName, { pointInTimeRecovery }: Settings): boolean =>
  pointInTimeRecovery[name] ?? name !== "limits";

const createTable = (scope: Construct, name: TableName, settings: Settings): dynamodb.Table => {
  const { tableProtection, tablesKeyArn, tableClass, warmThroughput } = settings;
  const definition: TableDefinition = tables[name];
  const type = definition.binaryKeys ? dynamodb.AttributeType.BINARY : dynamodb.AttributeType.STRING;
  const key = (attribute: string): dynamodb.Attribute => ({ name: attribute, type });
  const warm = warmThroughput[name] !== undefined && { warmThroughput: warmThroughput[name] };
  const table = new dynamodb.Table(scope, name, {
    partitionKey: key("pk"),
    ...(definition.sort && { sortKey: key("sk") }),
    ...(definition.ttl !== undefined && { timeToLiveAttribute: definition.ttl }),
    ...(definition.stream && { stream: dynamodb.StreamViewType.NEW_AND_OLD_IMAGES }),
    billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: isRecoverable(name, settings) },
    ...(tableClass[name] !== undefined && { tableClass: dynamodb.TableClass[tableClass[name]] }),
    ...warm,
    ...(tablesKeyArn !== undefined && {
      encryption: dynamodb.TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: Key.fromKeyArn(scope, `${name}Key`, tablesKeyArn),
    }),
    deletionProtection: tableProtection,
    // Empty tables of a failed stack creation are deleted all the same.
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  if (!isRecoverable(name, settings))
    Validations.of(table).acknowledge({
      id: "AwsSolutions-DDB3",
      reason: "Short-lived rate-limit counters, or a table for which the operator has switched recovery off.",
    });
  for (const [indexName, index] of Object.entries(definition.indexes ?? {}))
    table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: key(index.partition),
      sortKey: key(index.sort),
      projectionType: dynamodb.ProjectionType[index.projection],
      // A write to the table may be one to its full indexes, whose throttles would be the table's; the others are sparse.
      ...(index.projection === "ALL" && warm),
    });
  return table;
};

/**
 * The DynamoDB tables of `lib/dynamo/table.ts`. Deleting the stack keeps the tables and their data.
 *
 * A restored table replaces the stack's own: the previous table stays in the account, outside of the stack.
 */
export class Data extends Construct {
  private readonly tablesByName = new Map<TableName, TableReference>();

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { restoredTables: restored } = settings;
    for (const name of tableNames) this.tablesByName.set(name, restored[name] ?? createTable(this, name, settings));
  }

  /** Returns the name, ARN and stream ARN of a table, for grants, environment variables and event source mappings. */
  table(name: TableName): TableReference {
    const table = this.tablesByName.get(name);
    if (table === undefined) throw new Error(`There is no table ${name}.`);
    return table;
  }
}
