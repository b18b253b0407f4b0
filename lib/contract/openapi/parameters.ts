import { safeParse, type GenericSchema } from "valibot";
import type { JsonSchema } from "../json-schema.ts";
import type { Route } from "../route.ts";
import type { NamedSchemas } from "./named-schemas.ts";
import { refTo, type Operation, type Parameter } from "./openapi.ts";
import { partOf, type Part } from "./schema-part.ts";
import { jsonSchemaOf } from "./schema-of.ts";
import { accessRule, organizationParameter, projectParameters } from "./security.ts";

/** Parameters that more than one operation has. */
export const sharedParameters: Readonly<Record<string, Parameter>> = {
  ...projectParameters,
  ...organizationParameter,
  RequestId: {
    name: "X-Request-ID",
    in: "header",
    description:
      "An id for this request: it comes back and stands in the service's log. " +
      "1 to 128 letters, digits, `.`, `_` or `-`; another form is replaced.",
    schema: { type: "string" },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "The `ETag` of an answer that the caller has: while it is the same, the reply is a 304 without a body.",
    schema: { type: "string" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A POST sent again with the same key and body, to the same path and for the same project (or by the same user), does nothing twice and " +
      "gets the same answer, with `Idempotent-Replayed: true`; with another body it is 422 with `code: idempotency_error`. What makes " +
      "nothing is remembered for 24 hours. A secret is never told twice: that is 409. Without the header the caller's `X-Request-ID` counts, " +
      "with which another body is another request. 1 to 255 visible ASCII characters.",
    schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
  },
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a part of kind schema is one.
const schemaOf = (part: Part): GenericSchema => part as unknown as GenericSchema;

/** A parameter that may stand once arrives as a list of its values; its own schema is the last of the pipe. */
const eachOf = (entry: Part): Part => entry.pipe?.slice(1).findLast(({ kind }) => kind === "schema") ?? entry;

const defaultOf = ({ wrapped, default: given }: Part): Pick<JsonSchema, "default"> => {
  if (wrapped === undefined || given === undefined) return {};
  const parsed = safeParse(schemaOf(wrapped), given);
  return parsed.success ? { default: parsed.output } : {};
};

const entriesOf = (schema: GenericSchema | undefined): [string, Part][] =>
  schema === undefined ? [] : Object.entries(partOf(schema).entries ?? {});

const pathParameters = (route: Route, named: NamedSchemas): Parameter[] =>
  entriesOf(route.params).map(([name, entry]) => ({
    name,
    in: "path",
    required: true,
    schema: jsonSchemaOf(schemaOf(entry), "input", named, `${route.id} path ${name}`),
  }));

const queryParameters = (route: Route, named: NamedSchemas): Parameter[] =>
  entriesOf(route.query).map(([name, entry]) => {
    const each = schemaOf(eachOf(entry.wrapped ?? entry));
    const schema = jsonSchemaOf(each, "input", named, `${route.id} query ${name}`);
    const parameter: Parameter = {
      name,
      in: "query",
      required: entry.wrapped === undefined,
      schema: Object.assign(schema, defaultOf(entry)),
    };
    return schema.type === "object"
      ? Object.assign(parameter, { style: "deepObject", explode: true } as const)
      : parameter;
  });

/** Whether a request can be sent again under a key. */
export const takesKey = ({ repeats }: Route): boolean => repeats !== undefined && repeats !== "once";

/** Everything outside the body that a route reads. */
export const parametersOf = (route: Route, named: NamedSchemas): Operation["parameters"] => [
  ...pathParameters(route, named),
  ...queryParameters(route, named),
  ...accessRule(route.access).parameters,
  refTo("parameters", "RequestId"),
  ...(route.method === "GET" ? [refTo("parameters", "IfNoneMatch")] : []),
  ...(takesKey(route) ? [refTo("parameters", "IdempotencyKey")] : []),
];
