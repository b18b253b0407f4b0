import { expect, test } from "vitest";
import type { JsonSchema } from "../../../lib/contract/schema/json-schema.ts";
import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import type { Operation } from "../../../lib/contract/openapi/openapi.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { type ContractOperation, operations, schemas } from "./contract-table.ts";

const document = openApiDocument(routes);

const operationOf = (name: string): Operation => {
  const [method = "", path = ""] = name.split(" ");
  const documentedOperation = document.paths[path]?.[method.toLowerCase()];
  if (documentedOperation === undefined) throw new Error(`The document has no ${name}.`);
  return documentedOperation;
};

const parameterNames = ({ parameters }: Operation, place: string): readonly string[] =>
  parameters.flatMap((each) => ("in" in each && each.in === place ? [each.name] : []));

const resolved = (schema: JsonSchema | undefined): JsonSchema => {
  const name = schema?.$ref?.split("/").at(-1);
  return name === undefined ? (schema ?? {}) : resolved(document.components.schemas[name]);
};

const bodyOf = ({ requestBody }: Operation): JsonSchema => resolved(requestBody?.content["application/json"]?.schema);

const replyOf = ({ responses }: Operation): string | undefined => {
  const status = Object.keys(responses).find((each) => each.startsWith("2") && each !== "200");
  const reply = responses[status ?? "200"];
  const schema = reply !== undefined && "content" in reply ? reply.content?.["application/json"]?.schema : undefined;
  return schema?.$ref?.split("/").at(-1);
};

test.each(Object.entries(operations))(
  "%s has the names that the contract specifies",
  (name, contractOperation: ContractOperation) => {
    const operation = operationOf(name);

    expect(parameterNames(operation, "path")).toEqual(contractOperation.path);
    expect(parameterNames(operation, "query")).toEqual(expect.arrayContaining([...contractOperation.query]));
    expect(contractOperation.reply === undefined ? undefined : replyOf(operation)).toBe(contractOperation.reply);
    expect(Object.keys(bodyOf(operation).properties ?? {})).toEqual(
      expect.arrayContaining([...(contractOperation.body?.fields ?? [])]),
    );
  },
);

test.each(
  Object.entries(operations).flatMap(([name, { body }]) => (body === undefined ? [] : [[name, body] as const])),
)("%s requires the fields that the contract requires, and no others", (name, body) => {
  expect([...(bodyOf(operationOf(name)).required ?? [])].toSorted()).toEqual([...body.required].toSorted());
});

test.each(Object.entries(schemas))("%s has the fields that the contract specifies", (name, { fields, required }) => {
  const schema = document.components.schemas[name];

  expect(Object.keys(schema?.properties ?? {})).toEqual(expect.arrayContaining([...fields]));
  expect(required ? schema?.required : fields).toEqual(expect.arrayContaining([...fields]));
});

test("a page of a list has 1 to 200 items, 50 by default, from any offset", () => {
  const { parameters } = operationOf("GET /evaluations/monitors/{monitor_id}/runs");
  const schemaOf = (name: string) =>
    parameters.flatMap((each) => ("schema" in each && each.name === name ? [each.schema] : []))[0];

  expect(schemaOf("limit")).toMatchObject({ minimum: 1, maximum: 200, default: 50 });
  expect(schemaOf("offset")).toMatchObject({ minimum: 0, default: 0 });
});

test("the security schemes are those of the contract", () => {
  expect(
    Object.values(document.components.securitySchemes).map((each) => ("scheme" in each ? each.scheme : each.name)),
  ).toEqual(expect.arrayContaining(["bearer", "X-API-Key", "X-Project-ID", "X-Project-Name"]));
});
