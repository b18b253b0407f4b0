import { RemovalPolicy } from "aws-cdk-lib";
import * as dynamodb from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import { tableNames, tables, type TableDefinition, type TableName } from "../lib/store/table.ts";

const createTable = (scope: Construct, name: TableName): dynamodb.Table => {
  const definition: TableDefinition = tables[name];
  const type = definition.binaryKeys ? dynamodb.AttributeType.BINARY : dynamodb.AttributeType.STRING;
  const key = (attribute: string): dynamodb.Attribute => ({ name: attribute, type });
  const table = new dynamodb.Table(scope, name, {
    partitionKey: key("pk"),
    ...(definition.sort && { sortKey: key("sk") }),
    ...(definition.ttl !== undefined && { timeToLiveAttribute: definition.ttl }),
    ...(definition.stream && { stream: dynamodb.StreamViewType.NEW_AND_OLD_IMAGES }),
    billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
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

/** The tables of `lib/store/table.ts`. Taking the stack down leaves them and what is in them. */
export class Data extends Construct {
  private readonly created = new Map<TableName, dynamodb.Table>();

  constructor(scope: Construct, id: string) {
    super(scope, id);
    for (const name of tableNames) this.created.set(name, createTable(this, name));
  }

  /** The construct of a table. */
  table(name: TableName): dynamodb.Table {
    const table = this.created.get(name);
    if (table === undefined) throw new Error(`There is no table ${name}.`);
    return table;
  }
}
