import { expect, test } from "vitest";
import type { Assembly } from "../../infra/local/template/template.ts";
import { previousAssembly, todaysAssembly, workDirectory } from "./opened.ts";

/** What data lies in, and what schedules and gateway keys that were made while the service ran name by its id. */
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

test("what data lies in is still there under its name: another name is another table, without the data", () => {
  const [previous, today] = [lastingOf(previousAssembly(workDirectory())), lastingOf(todaysAssembly())];

  expect(Object.keys(previous).length).toBeGreaterThan(10);
  expect(today).toMatchObject(previous);
});

test("tables keep their keys, indexes, streams and expiry; each has gained one index at most", () => {
  const today = new Map(tablesOf(todaysAssembly()));

  for (const [id, before] of tablesOf(previousAssembly(workDirectory()))) {
    const now = today.get(id);
    const [indexes, others] = [before.GlobalSecondaryIndexes ?? [], now?.GlobalSecondaryIndexes ?? []];
    const named = new Map(others.map((index) => [index.IndexName, index]));
    expect(now?.KeySchema).toEqual(before.KeySchema);
    expect(now?.AttributeDefinitions).toEqual(expect.arrayContaining([...before.AttributeDefinitions]));
    expect(now?.TimeToLiveSpecification).toEqual(before.TimeToLiveSpecification);
    expect(now?.StreamSpecification).toEqual(before.StreamSpecification ?? now?.StreamSpecification);
    // Functions of the previous version go on to query an index while its successors are rolled out.
    expect(indexes.map(({ IndexName }) => named.get(IndexName))).toEqual(indexes);
    // CloudFormation makes one index of a table in an update.
    expect(others.length - indexes.length).toBeLessThanOrEqual(1);
  }
});
