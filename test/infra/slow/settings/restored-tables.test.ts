import { beforeAll, describe, expect, test } from "vitest";
import { resolverOf } from "../../../../infra/local/template/intrinsics.ts";
import type { Template } from "../../../../infra/local/template/template.ts";
import { tableNames, tables, type TableDefinition, type TableName } from "../../../../lib/dynamo/table.ts";
import { permissionsOf } from "../../policies.ts";
import { synthesize } from "../../synthesize.ts";

const arnOf = (table: string): string => `arn:aws:dynamodb:eu-central-1:123456789012:table/${table}`;
const streamOf = (table: string): string => `${arnOf(table)}/stream/2026-11-21T02:31:07.417`;

const hasStream = (name: TableName): boolean => {
  const { stream }: TableDefinition = tables[name];
  return stream === true;
};

/** The operator's setting, with the fields of `describe-table`. */
const settingOf = (names: readonly TableName[]) =>
  Object.fromEntries(
    names.map((name) => [name, hasStream(name) ? streamOf(`${name}-restored`) : arnOf(`${name}-restored`)]),
  );

const templateOf = (context: Record<string, unknown>): Template & { Outputs: Record<string, { Value: unknown }> } =>
  JSON.parse(JSON.stringify(synthesize(context).template.toJSON()));

/** The roles of functions by id, each with the first of its functions. A role's id is a hash of its permissions, which name the tables. */
const functionRoles = ({ Resources }: Template): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(Resources)
      .filter(([, { Type }]) => Type === "AWS::Lambda::Function")
      .toReversed()
      .map(([id, { Properties }]) => [
        /"Fn::GetAtt":\["(\w+)"/u.exec(JSON.stringify(Properties?.["Role"]))?.[1] ?? "",
        id,
      ]),
  );

interface Policies {
  readonly Policies: readonly {
    readonly PolicyDocument: { readonly Statement: Parameters<typeof permissionsOf>[0] };
  }[];
}

/**
 * A template without its tables, in AWS's resolved names: each table that the template creates has the name that `physical`
 * returns, and each role of a function is a list of permissions.
 */
const deployed = (template: ReturnType<typeof templateOf>, physical: (name: string) => string) => {
  const resolver = resolverOf(template);
  const tableResources = Object.entries(template.Resources).filter(([, { Type }]) => Type === "AWS::DynamoDB::Table");
  for (const [id] of tableResources) {
    const name = physical(id.replace(/^Data(\w+)[0-9A-F]{8}$/u, "$1"));
    resolver.describe(id, { ref: name, attributes: { Arn: arnOf(name), StreamArn: streamOf(name) } });
  }
  const otherResources = Object.entries(template.Resources).filter(([, { Type }]) => Type !== "AWS::DynamoDB::Table");
  for (const [id, { Type }] of otherResources) {
    if (Type === "AWS::SQS::Queue") resolver.describe(id, { ref: id, attributes: { Arn: `${id}.Arn`, QueueName: id } });
  }
  const roles = functionRoles(template);
  for (const [id, functionId] of roles) resolver.describe(id, { ref: functionId, attributes: { Arn: functionId } });
  const resources = otherResources.map(([id, { Properties }]): [string, unknown] => {
    const [properties, functionId] = [resolver.resolve(Properties), roles.get(id)];
    if (functionId === undefined) return [id, properties];
    const policies = (properties as Policies).Policies;
    return [`role of ${functionId}`, policies.flatMap(({ PolicyDocument }) => permissionsOf(PolicyDocument.Statement))];
  });
  return {
    tables: tableResources.map(([id]) => id),
    resources: Object.fromEntries(resources),
    outputs: Object.fromEntries(
      Object.entries(template.Outputs).map(([id, { Value }]) => [id, resolver.resolve(Value)]),
    ),
  };
};

let ownTemplate: ReturnType<typeof templateOf>;
beforeAll(() => {
  ownTemplate = templateOf({ stage: "prod", alarmEmail: "operator@example.com" });
});

test.each<[string, readonly TableName[]]>([
  ["all tables", tableNames],
  ["the rows alone", ["rows"]],
  ["the tables without a stream", tableNames.filter((name) => !hasStream(name))],
])("every grant, variable, mapping and output is that of the restored tables if an operator names %s", (_, names) => {
  const restored = deployed(
    templateOf({ stage: "prod", alarmEmail: "operator@example.com", restoredTables: { prod: settingOf(names) } }),
    (name) => name,
  );
  const expected = deployed(ownTemplate, (name) => (names.some((each) => each === name) ? `${name}-restored` : name));
  const { RestoredTables: restoredTablesOutput, ...outputs } = restored.outputs;

  expect(restored.resources).toEqual(expected.resources);
  expect(outputs).toEqual(expected.outputs);
  expect(restored.tables).toEqual(
    expected.tables.filter((id) => !names.some((name) => new RegExp(`^Data${name}[0-9A-F]{8}$`, "u").test(id))),
  );
  expect(restoredTablesOutput).toBe(names.map((name) => `${name}: ${name}-restored`).join(", "));
});

test("the workers of a restored table read its new stream", () => {
  const { template } = synthesize({ restoredTables: { dev: settingOf(["scores"]) } });
  const sources = Object.values(template.findResources("AWS::Lambda::EventSourceMapping"))
    .map(({ Properties }) => Properties.EventSourceArn)
    .filter((source) => typeof source === "string");

  expect(sources).toEqual([streamOf("scores-restored")]);
});

test("another stage stays unchanged", () => {
  expect(
    templateOf({ stage: "prod", alarmEmail: "operator@example.com", restoredTables: { dev: settingOf(tableNames) } }),
  ).toEqual(ownTemplate);
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
    [{ bodies: arnOf("one"), rows: streamOf("one") }, "The setting restoredTables.dev must not name a table twice"],
    ["rows", "The setting restoredTables.dev must be an object, ARNs by table"],
  ])("%j", (settings, sentence) => {
    expect(() => synthesize({ restoredTables: { dev: settings } })).toThrow(sentence);
  });

  test("an ARN that is misspelt is one fault, also where a stream's is needed", () => {
    expect(() => synthesize({ restoredTables: { dev: { rows: "arn:aws:dynamodb:eu-west-1:1:table/rows" } } })).toThrow(
      /^The setting restoredTables\.dev\.rows must be the ARN of a table or of its stream; it is "\S+"\.$/u,
    );
  });

  test("that are not listed by stage", () => {
    expect(() => synthesize({ restoredTables: settingOf(["bodies"]) })).toThrow(
      "The setting restoredTables.bodies must be an object, ARNs by table",
    );
  });
});
