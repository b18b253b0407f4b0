import { beforeAll, describe, expect, test } from "vitest";
import { resolverOf } from "../../../infra/local/template/intrinsics.ts";
import type { Template } from "../../../infra/local/template/template.ts";
import { tableNames, tables, type TableDefinition, type TableName } from "../../../lib/store/table.ts";
import { synthesize } from "../synthesize.ts";

const arnOf = (table: string): string => `arn:aws:dynamodb:eu-central-1:123456789012:table/${table}`;
const streamOf = (table: string): string => `${arnOf(table)}/stream/2026-11-21T02:31:07.417`;

const hasStream = (name: TableName): boolean => {
  const { stream }: TableDefinition = tables[name];
  return stream === true;
};

/** What the operator writes, as `describe-table` tells it. */
const settingOf = (names: readonly TableName[]) =>
  Object.fromEntries(
    names.map((name) => [name, hasStream(name) ? streamOf(`${name}-restored`) : arnOf(`${name}-restored`)]),
  );

const templateOf = (context: Record<string, unknown>): Template & { Outputs: Record<string, { Value: unknown }> } =>
  JSON.parse(JSON.stringify(synthesize(context).template.toJSON()));

/** Everything of a template but its tables, in the words of AWS: each table that it makes has the name that is given. */
const deployed = (template: ReturnType<typeof templateOf>, physical: (name: string) => string) => {
  const resolver = resolverOf(template);
  const made = Object.entries(template.Resources).filter(([, { Type }]) => Type === "AWS::DynamoDB::Table");
  for (const [id] of made) {
    const name = physical(id.replace(/^Data(\w+)[0-9A-F]{8}$/u, "$1"));
    resolver.describe(id, { ref: name, attributes: { Arn: arnOf(name), StreamArn: streamOf(name) } });
  }
  const others = Object.entries(template.Resources).filter(([, { Type }]) => Type !== "AWS::DynamoDB::Table");
  for (const [id, { Type }] of others) {
    if (Type === "AWS::SQS::Queue") resolver.describe(id, { ref: id, attributes: { Arn: `${id}.Arn`, QueueName: id } });
  }
  return {
    tables: made.map(([id]) => id),
    resources: Object.fromEntries(others.map(([id, { Properties }]) => [id, resolver.resolve(Properties)])),
    outputs: Object.fromEntries(
      Object.entries(template.Outputs).map(([id, { Value }]) => [id, resolver.resolve(Value)]),
    ),
  };
};

let own: ReturnType<typeof templateOf>;
beforeAll(() => {
  own = templateOf({ stage: "prod", alarmEmail: "operator@example.com" });
});

test.each<[string, readonly TableName[]]>([
  ["all tables", tableNames],
  ["the rows alone", ["rows"]],
  ["the tables without a stream", tableNames.filter((name) => !hasStream(name))],
])(
  "every grant, variable, mapping and output is that of the restored tables where an operator names %s",
  (_, names) => {
    const restored = deployed(
      templateOf({ stage: "prod", alarmEmail: "operator@example.com", restoredTables: { prod: settingOf(names) } }),
      (name) => name,
    );
    const expected = deployed(own, (name) => (names.some((each) => each === name) ? `${name}-restored` : name));
    const { RestoredTables: told, ...outputs } = restored.outputs;

    expect(restored.resources).toEqual(expected.resources);
    expect(outputs).toEqual(expected.outputs);
    expect(restored.tables).toEqual(
      expected.tables.filter((id) => !names.some((name) => new RegExp(`^Data${name}[0-9A-F]{8}$`, "u").test(id))),
    );
    expect(told).toBe(names.map((name) => `${name}: ${name}-restored`).join(", "));
  },
);

test("the workers of a restored table read its new stream", () => {
  const { template } = synthesize({ restoredTables: { dev: settingOf(["scores"]) } });
  const sources = Object.values(template.findResources("AWS::Lambda::EventSourceMapping"))
    .map(({ Properties }) => Properties.EventSourceArn)
    .filter((source) => typeof source === "string");

  expect(sources).toEqual([streamOf("scores-restored")]);
});

test("another stage is left alone", () => {
  expect(
    templateOf({ stage: "prod", alarmEmail: "operator@example.com", restoredTables: { dev: settingOf(tableNames) } }),
  ).toEqual(own);
});

describe("restored tables are refused", () => {
  test.each([
    [{ rows: arnOf("rows-restored") }, "The setting restoredTables.dev.rows must be the ARN of the table's stream"],
    [
      { bodies: "bodies-restored" },
      "The setting restoredTables.dev.bodies must be the ARN of a table or of its stream",
    ],
    [{ bodies: `${arnOf("b")}/index/x` }, "The setting restoredTables.dev.bodies must be the ARN of a table"],
    [{ traces: arnOf("traces-restored") }, "The setting restoredTables.dev.traces is not a table"],
    [{ bodies: arnOf("one"), rows: streamOf("one") }, "The setting restoredTables.dev must not name one table twice"],
    ["rows", "The setting restoredTables.dev must be an object, ARNs by table"],
  ])("%j", (given, sentence) => {
    expect(() => synthesize({ restoredTables: { dev: given } })).toThrow(sentence);
  });

  test("that are not given by stage", () => {
    expect(() => synthesize({ restoredTables: settingOf(["bodies"]) })).toThrow(
      "The setting restoredTables.bodies must be an object, ARNs by table",
    );
  });
});
