import { expect, test } from "vitest";
import type { Assembly } from "../../../infra/local/template/template.ts";
import { previousAssembly, todaysAssembly, workDirectory } from "../opened.ts";

/** Types of resources that contain data, or that schedules and gateway keys created at run time refer to by id. */
const lasting = new Set([
  "AWS::DynamoDB::Table",
  "AWS::SQS::Queue",
  "AWS::Scheduler::ScheduleGroup",
  "AWS::ApiGateway::UsagePlan",
]);

interface Index {
  readonly IndexName: string;
}

interface Table {
  readonly KeySchema: unknown;
  readonly AttributeDefinitions: readonly { readonly AttributeName: string }[];
  readonly GlobalSecondaryIndexes?: readonly Index[];
  readonly StreamSpecification?: unknown;
  readonly TimeToLiveSpecification?: unknown;
}

const lastingOf = ({ template: { Resources } }: Assembly): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(Resources).flatMap(([id, { Type }]) => (lasting.has(Type) ? [[id, Type] as const] : [])),
  );

const tablesOf = ({ template: { Resources } }: Assembly): readonly (readonly [id: string, table: Table])[] =>
  Object.entries(Resources).flatMap(([id, { Type, Properties }]) =>
    Type === "AWS::DynamoDB::Table" ? [[id, Properties as unknown as Table] as const] : [],
  );

test("resources with data keep their logical ids, as a new id would create an empty resource", () => {
  const [previous, today] = [lastingOf(previousAssembly(workDirectory())), lastingOf(todaysAssembly())];

  expect(Object.keys(previous).length).toBeGreaterThan(10);
  expect(today).toMatchObject(previous);
});

test("tables keep their keys, indexes, streams and expiry; each gains at most one index", () => {
  const today = new Map(tablesOf(todaysAssembly()));

  for (const [id, before] of tablesOf(previousAssembly(workDirectory()))) {
    const now = today.get(id);
    const [indexes, currentIndexes] = [before.GlobalSecondaryIndexes ?? [], now?.GlobalSecondaryIndexes ?? []];
    const currentByName = new Map(currentIndexes.map((index) => [index.IndexName, index]));
    expect(now?.KeySchema).toEqual(before.KeySchema);
    expect(now?.AttributeDefinitions).toEqual(expect.arrayContaining([...before.AttributeDefinitions]));
    expect(now?.TimeToLiveSpecification).toEqual(before.TimeToLiveSpecification);
    expect(now?.StreamSpecification).toEqual(before.StreamSpecification ?? now?.StreamSpecification);
    // Functions of the previous version query an index until their successors are rolled out.
    expect(indexes.map(({ IndexName }) => currentByName.get(IndexName))).toEqual(indexes);
    // CloudFormation creates at most one index of a table per update.
    expect(currentIndexes.length - indexes.length).toBeLessThanOrEqual(1);
  }
});
