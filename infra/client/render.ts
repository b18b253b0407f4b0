import { format } from "oxfmt";
import formatting from "../../.oxfmtrc.json" with { type: "json" };
import type { OpenApiDocument, Operation } from "../../lib/contract/openapi/openapi.ts";
import { resolve } from "../../lib/contract/openapi/openapi.ts";
import type { JsonSchema } from "../../lib/contract/json-schema.ts";
import type { Route } from "../../lib/contract/route.ts";
import { commentOf, typeOf, type Schemas } from "./schema-type.ts";

const head = "// Written by `npm run client` from the table of routes.\n";

/** What a program calls: the document itself and pages for people are read by other means. */
const isCalled = ({ media, protocol }: Route): boolean => media === undefined && protocol === undefined;

interface Described {
  readonly route: Route;
  readonly operation: Operation;
}

const operationsOf = (document: OpenApiDocument, routes: readonly Route[]): readonly Described[] =>
  routes.filter(isCalled).flatMap((route) => {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()];
    return operation === undefined ? [] : [{ route, operation }];
  });

const jsonOf = (
  content: Operation["requestBody"] | Operation["responses"][string] | undefined,
): JsonSchema | undefined =>
  content === undefined || !("content" in content) ? undefined : content.content?.["application/json"]?.schema;

/** The parameters of one place as a type, or nothing. */
const parametersIn = (
  place: "path" | "query",
  { operation }: Described,
  document: OpenApiDocument,
): JsonSchema | null => {
  const found = operation.parameters
    .map((parameter) => resolve(document.components.parameters, parameter))
    .filter((parameter) => parameter.in === place);
  if (found.length === 0) return null;
  return {
    type: "object",
    properties: Object.fromEntries(
      found.map(({ name, schema, description }) => [
        name,
        description === undefined ? schema : { description, ...schema },
      ]),
    ),
    required: found.filter(({ required }) => required === true).map(({ name }) => name),
  };
};

const keyOf = (name: string, schema: JsonSchema): string => JSON.stringify([name, schema]);

/** The parameters of queries that more than one operation takes, each as the most of them take it. */
const sharedQuery = (found: readonly Described[], document: OpenApiDocument): JsonSchema => {
  const all = found.flatMap((described) => {
    const query = parametersIn("query", described, document);
    return Object.entries(query?.properties ?? {}).filter(([name]) => query?.required?.includes(name) !== true);
  });
  const times = Map.groupBy(all, ([name, schema]) => keyOf(name, schema));
  const often = [...times.values()]
    .filter(({ length }) => length > 1)
    .toSorted((one, other) => one.length - other.length)
    .flatMap(([first]) => (first === undefined ? [] : [first]));
  return { type: "object", properties: Object.fromEntries(often) };
};

/** A query's type: what it shares with others by name, the rest in full. */
const queryType = (query: JsonSchema, shared: JsonSchema, schemas: Schemas): string => {
  const { properties = {}, required = [] } = query;
  const isShared = ([name, schema]: readonly [string, JsonSchema]): boolean => {
    const known = shared.properties?.[name];
    return known !== undefined && !required.includes(name) && keyOf(name, known) === keyOf(name, schema);
  };
  const entries = Object.entries(properties);
  const names = entries.filter(isShared).map(([name]) => JSON.stringify(name));
  const own = Object.fromEntries(entries.filter((entry) => !isShared(entry)));
  const parts = [
    ...(names.length === 0 ? [] : [`Pick<QueryParameters, ${names.join(" | ")}>`]),
    ...(Object.keys(own).length === 0 ? [] : [typeOf({ ...query, properties: own }, schemas, "    ")]),
  ];
  return parts.join(" & ");
};

const memberOf = (described: Described, document: OpenApiDocument, shared: JsonSchema): string => {
  const { route, operation } = described;
  const { schemas } = document.components;
  const reply = jsonOf(operation.responses[String(route.success)]);
  const other = route.success === 200 ? undefined : jsonOf(operation.responses["2XX"] ?? operation.responses["200"]);
  const parts: (readonly [name: string, schema: JsonSchema | null | undefined])[] = [
    ["path", parametersIn("path", described, document)],
    ["query", parametersIn("query", described, document)],
    ["body", jsonOf(operation.requestBody)],
    ["reply", reply],
    [route.dryRun === undefined ? "report" : "dryRun", other],
  ];
  const lines = parts.flatMap(([name, schema]) =>
    schema === null || schema === undefined
      ? []
      : [
          `    readonly ${name}: ${name === "query" ? queryType(schema, shared, schemas) : typeOf(schema, schemas, "    ")};`,
        ],
  );
  return `${commentOf(`${operation.summary}.`, "  ")}  readonly ${route.id}: {\n${lines.join("\n")}\n  };`;
};

const namesIn = (schema: unknown): readonly string[] => {
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "$ref" && typeof value === "string" ? [value.split("/").at(-1) ?? ""] : namesIn(value),
  );
};

/** The named schemas that operations name, and those that these name. */
const reachable = (found: readonly Described[], document: OpenApiDocument): Schemas => {
  const { schemas } = document.components;
  const named = new Set(
    found.flatMap(({ route, operation }) => [
      ...namesIn(operation.requestBody),
      ...namesIn(operation.parameters),
      ...[String(route.success), "200", "2XX"].flatMap((status) => namesIn(operation.responses[status])),
    ]),
  );
  for (const name of named) for (const other of namesIn(schemas[name])) named.add(other);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => named.has(name)));
};

/** The interface as types: what each operation takes and answers. */
const interfaceFile = (document: OpenApiDocument, routes: readonly Route[]): string => {
  const found = operationsOf(document, routes);
  const { schemas } = document.components;
  const types = Object.entries(reachable(found, document)).map(
    ([name, schema]) => `${commentOf(schema.description, "")}export type ${name} = ${typeOf(schema, schemas)};`,
  );
  const shared = sharedQuery(found, document);
  const members = found.map((described) => memberOf(described, document, shared));
  const query = `/** Parameters of queries that several operations take. */\ntype QueryParameters = ${typeOf(shared, schemas)};`;
  return `${head}\n${types.join("\n\n")}\n\n${query}\n\n/** What each operation takes and answers. */\nexport interface Operations {\n${members.join("\n")}\n}\n`;
};

/** What has to be known of each operation to call it. */
const operationsFile = (document: OpenApiDocument, routes: readonly Route[]): string => {
  const lines = operationsOf(document, routes).map(
    ({ route: { id, method, path, access } }) => `  ${id}: ${JSON.stringify([method, path, access])},`,
  );
  return `${head}\n/** Method, path and credentials of each operation. */\nexport const operations = {\n${lines.join("\n").replaceAll(',"', ', "')}\n} as const;\n`;
};

/** The files of `lib/client` that follow from the table of routes, formatted as all others are. */
export const clientFiles = (
  document: OpenApiDocument,
  routes: readonly Route[],
): Promise<readonly (readonly [name: string, text: string])[]> =>
  Promise.all(
    Object.entries({ "interface.ts": interfaceFile, "operations.ts": operationsFile }).map(
      async ([name, write]): Promise<readonly [string, string]> => {
        const { code, errors } = await format(name, write(document, routes), formatting);
        if (errors.length > 0)
          throw new Error(`${name} cannot be read: ${errors.map(({ message }) => message).join("; ")}`);
        return [name, code];
      },
    ),
  );
