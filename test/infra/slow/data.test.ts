import { Match, type Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import { tables, tableNames, type TableDefinition, type TableName } from "../../../lib/dynamo/table.ts";
import { everySetting } from "../settings/every-setting.ts";
import { synthesize } from "../synthesize.ts";

let template: Template;
beforeAll(() => {
  ({ template } = synthesize());
});

const tableOf = (name: TableName) => {
  const tableResources = Object.entries(template.findResources("AWS::DynamoDB::Table")).filter(([id]) =>
    new RegExp(`^Data${name}[0-9A-F]{8}$`, "u").test(id),
  );
  expect(tableResources).toHaveLength(1);
  return tableResources[0]?.[1];
};

test("every table of the contract is created, and no other", () => {
  expect(() => template.resourceCountIs("AWS::DynamoDB::Table", tableNames.length)).not.toThrow();
});

test("every table survives the stack, its deletion and a bad write; a failed creation leaves no table", () => {
  expect(() =>
    template.allResources(
      "AWS::DynamoDB::Table",
      Match.objectLike({
        DeletionPolicy: "RetainExceptOnCreate",
        UpdateReplacePolicy: "Retain",
        Properties: Match.objectLike({
          DeletionProtectionEnabled: true,
          BillingMode: "PAY_PER_REQUEST",
          TableName: Match.absent(),
        }),
      }),
    ),
  ).not.toThrow();
});

test.each(tableNames)("the table %s has the keys, expiry, stream and indexes that the stores require", (name) => {
  const definition: TableDefinition = tables[name];
  const properties = tableOf(name)?.Properties;
  const keys = (partition: string, sort?: string) => [
    { AttributeName: partition, KeyType: "HASH" },
    ...(sort === undefined ? [] : [{ AttributeName: sort, KeyType: "RANGE" }]),
  ];

  expect(properties?.KeySchema).toEqual(definition.sort ? keys("pk", "sk") : keys("pk"));
  expect(properties?.TimeToLiveSpecification?.AttributeName).toBe(definition.ttl);
  expect(properties?.StreamSpecification?.StreamViewType).toBe(definition.stream && "NEW_AND_OLD_IMAGES");
  expect(properties?.GlobalSecondaryIndexes ?? []).toEqual(
    Object.entries(definition.indexes ?? {}).map(([IndexName, index]) => ({
      IndexName,
      KeySchema: keys(index.partition, index.sort),
      Projection:
        typeof index.projection === "string"
          ? { ProjectionType: index.projection }
          : { ProjectionType: "INCLUDE", NonKeyAttributes: index.projection },
    })),
  );
});

test("every table can be restored except the counters of rate limits", () => {
  const recovery = tableNames.map((name) => [
    name,
    tableOf(name)?.Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
  ]);

  expect(recovery).toEqual(tableNames.map((name) => [name, name !== "limits"]));
});

test("protection can be off while a stage is created or torn down", () => {
  const unprotected = synthesize({ tableProtection: false }).template.findResources("AWS::DynamoDB::Table");

  expect(Object.values(unprotected).map(({ Properties }) => Properties.DeletionProtectionEnabled)).toEqual(
    tableNames.map(() => false),
  );
});

test("a table is prepared for the operator's load with the indexes that contain all of its attributes, and no other table", () => {
  const warm = { ReadUnitsPerSecond: 20_000, WriteUnitsPerSecond: 8000 };
  const preparedTables = Object.entries(synthesize(everySetting).template.findResources("AWS::DynamoDB::Table"))
    .filter(([, { Properties }]) => JSON.stringify(Properties).includes("WarmThroughput"))
    .map(([id, { Properties }]) => [
      id,
      Properties.WarmThroughput,
      Properties.GlobalSecondaryIndexes.filter((index: object) => "WarmThroughput" in index),
    ]);

  expect(preparedTables).toEqual([
    [
      expect.stringMatching(/^Dataruns/u),
      warm,
      ["by-created", "by-monitor"].map((IndexName) => expect.objectContaining({ IndexName, WarmThroughput: warm })),
    ],
  ]);
});
