import { safeParse, type GenericSchema } from "valibot";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { Route } from "../route.ts";
import type { SchemaRegistry } from "./schema-registry.ts";
import { refTo, type Operation, type Parameter } from "./openapi.ts";
import { partOf, type Part } from "../schema/schema-part.ts";
import { jsonSchemaOf } from "./schema-of.ts";
import { accessRule, organizationParameter, projectParameters } from "./security.ts";

/** Parameters shared by several operations, by component name. */
export const sharedParameters: Readonly<Record<string, Parameter>> = {
  ...projectParameters,
  ...organizationParameter,
  RequestId: {
    name: "X-Request-ID",
    in: "header",
    description:
      "Id for this request, returned in the reply and written to the service's log: " +
      "1 to 128 letters, digits, `.`, `_` or `-`. An id of another form is replaced.",
    schema: { type: "string" },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "`ETag` of an earlier reply; if it is unchanged, the reply is a 304 without a body.",
    schema: { type: "string" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Idempotency key, 1 to 255 visible ASCII characters. A POST with the same key, body, path and project (or user) as an earlier one is not " +
      "executed again and gets the same reply with `Idempotent-Replayed: true`; another body gives 422 with `code: idempotency_error`. " +
      "Requests that create no resource are remembered for 24 hours. A secret is never returned twice; the repeated request gets 409. " +
      "Without the header, `X-Request-ID` together with the body is the key.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
  },
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a part of kind schema is one.
const schemaOf = (part: Part): GenericSchema => part as unknown as GenericSchema;

/** Returns the schema of a single-value query parameter. It is the last schema of a pipe that starts with the list of values. */
const valueSchemaOf = (entry: Part): Part => entry.pipe?.slice(1).findLast(({ kind }) => kind === "schema") ?? entry;

const defaultOf = ({ wrapped, default: defaultInput }: Part): Pick<JsonSchema, "default"> => {
  if (wrapped === undefined || defaultInput === undefined) return {};
  const parsed = safeParse(schemaOf(wrapped), defaultInput);
  return parsed.success ? { default: parsed.output } : {};
};

const entriesOf = (schema: GenericSchema | undefined): [string, Part][] =>
  schema === undefined ? [] : Object.entries(partOf(schema).entries ?? {});

const pathParameters = (route: Route, registry: SchemaRegistry): Parameter[] =>
  entriesOf(route.params).map(([name, entry]) => ({
    name,
    in: "path",
    required: true,
    schema: jsonSchemaOf(schemaOf(entry), "input", registry, `${route.id} path ${name}`),
  }));

/** Names that a value of an enum cannot have in Kotlin. */
const enumMembers = new Set(["name", "value", "ordinal", "entries"]);

const upperCaseFirst = (text: string): string =>
  text.replaceAll(/(?:^|_)(\w)/gu, (_, letter: string) => letter.toUpperCase());

/**
 * Adds the default of a query parameter to its schema. An enum with a value that Kotlin cannot name gets names for code, in the form that
 * other generators choose by themselves; they are not applied to a default, so that the description states it instead.
 */
const withDefault = (schema: JsonSchema, entry: Part): JsonSchema => {
  const { enum: values = [], description } = schema;
  const { default: value } = defaultOf(entry);
  if (!values.some((each) => enumMembers.has(String(each)))) return Object.assign(schema, defaultOf(entry));
  const sentences = [description, typeof value === "string" ? `Default \`${value}\`.` : undefined];
  return {
    ...schema,
    "x-enum-varnames": values.map((each) => upperCaseFirst(String(each))),
    description: sentences.filter((sentence) => sentence !== undefined).join(" "),
  };
};

const queryParameters = (route: Route, registry: SchemaRegistry): Parameter[] =>
  entriesOf(route.query).map(([name, entry]) => {
    const each = schemaOf(valueSchemaOf(entry.wrapped ?? entry));
    const schema = jsonSchemaOf(each, "input", registry, `${route.id} query ${name}`);
    const parameter: Parameter = {
      name,
      in: "query",
      required: entry.wrapped === undefined,
      schema: withDefault(schema, entry),
    };
    return schema.type === "object"
      ? Object.assign(parameter, { style: "deepObject", explode: true } as const)
      : parameter;
  });

/** True if a route accepts an `Idempotency-Key` header. */
export const takesIdempotencyKey = ({ idempotency }: Route): boolean =>
  idempotency !== undefined && idempotency !== "none";

/** Returns the path, query and header parameters of a route. */
export const parametersOf = (route: Route, registry: SchemaRegistry): Operation["parameters"] => [
  ...pathParameters(route, registry),
  ...queryParameters(route, registry),
  ...accessRule(route.access).parameters,
  refTo("parameters", "RequestId"),
  ...(route.method === "GET" ? [refTo("parameters", "IfNoneMatch")] : []),
  ...(takesIdempotencyKey(route) ? [refTo("parameters", "IdempotencyKey")] : []),
];
