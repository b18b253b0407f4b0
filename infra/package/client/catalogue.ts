import type { Catalogue, CatalogueField, CatalogueOperation } from "../../../lib/command/catalogue.ts";
import { hyphenated } from "../../../lib/command/catalogue.ts";
import { operations } from "../../../lib/client/operations.ts";
import {
  type OpenApiDocument,
  type Operation,
  type Parameter,
  resolve,
} from "../../../lib/contract/openapi/openapi.ts";
import type { JsonSchema } from "../../../lib/contract/schema/json-schema.ts";

const resolved = (schema: JsonSchema, { components }: OpenApiDocument): JsonSchema =>
  schema.$ref === undefined ? schema : resolve(components.schemas, { $ref: schema.$ref });

const typeName = (schema: JsonSchema, document: OpenApiDocument): string => {
  const { enum: values, type, anyOf, items } = resolved(schema, document);
  if (values !== undefined) return values.map(String).join("|");
  if (anyOf !== undefined) return [...new Set(anyOf.map((part) => typeName(part, document)))].join("|");
  if (items !== undefined) return `${typeName(items, document)}[]`;
  return typeof type === "string" ? type : (type?.join("|") ?? "JSON");
};

const fieldOf = (name: string, schema: JsonSchema, isRequired: boolean, document: OpenApiDocument): CatalogueField => ({
  name,
  type: typeName(schema, document),
  description: schema.description ?? resolved(schema, document).description ?? "",
  isRequired,
});

const parameterOf = ({ name, in: place, required, description, style, schema }: Parameter, document: OpenApiDocument) =>
  place === "header"
    ? []
    : [
        {
          ...fieldOf(name, { ...(description && { description }), ...schema }, required ?? false, document),
          place,
          form:
            style === "deepObject"
              ? ("map" as const)
              : schema.items === undefined
                ? ("single" as const)
                : ("list" as const),
        },
      ];

/** Merges the properties of a body's schema, and of the schemas that it combines. */
const bodyFields = (schema: JsonSchema, document: OpenApiDocument): readonly CatalogueField[] => {
  const { properties = {}, required = [], allOf = [], anyOf = [] } = resolved(schema, document);
  return [
    ...Object.entries(properties).map(([name, property]) => fieldOf(name, property, required.includes(name), document)),
    ...[...allOf, ...anyOf].flatMap((part) => bodyFields(part, document)),
  ];
};

const bodyOf = ({ requestBody }: Operation, document: OpenApiDocument): CatalogueOperation["body"] => {
  const media = requestBody?.content["application/json"];
  if (media === undefined) return null;
  const example = media.example ?? resolved(media.schema, document).examples?.[0] ?? null;
  return { fields: bodyFields(media.schema, document), example };
};

/** Returns the words of the id without those of the resource: `list` for `listTraces` of `traces`. */
const shortAction = (id: string, resource: string): string => {
  const resourceWords = new Set([resource, resource.replace(/s$/u, "")]);
  const words = hyphenated(id).split("-");
  return words.filter((word) => !resourceWords.has(word)).join("-");
};

/** Returns the commands for the JSON operations of a document: those of the typed client. */
export const catalogueOf = (document: OpenApiDocument): Catalogue => {
  const all = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .filter(({ operationId }) => operationId in operations)
    .map((operation) => ({ operation, resource: operation.tags[0] ?? "" }));
  const sameAction = Map.groupBy(
    all,
    ({ operation: { operationId: id }, resource }) => `${resource} ${shortAction(id, resource)}`,
  );
  /** The short action; of two operations that share it only that of the single object has it: `create` is `createTrace`, not `createTraces`. */
  const actionOf = (id: string, resource: string): string => {
    const action = shortAction(id, resource);
    const isShared = (sameAction.get(`${resource} ${action}`)?.length ?? 0) > 1;
    return isShared && hyphenated(id).split("-").includes(resource) ? hyphenated(id) : action;
  };
  const names = new Set(all.map(({ resource }) => resource));
  return {
    resources: [...names].map((name) => ({
      name,
      description: document.tags.find((tag) => tag.name === name)?.description ?? "",
    })),
    operations: all.map(({ operation, resource }) => ({
      id: operation.operationId,
      resource,
      action: actionOf(operation.operationId, resource),
      summary: operation.summary,
      description: operation.description ?? "",
      parameters: operation.parameters.flatMap((parameter) =>
        parameterOf(resolve(document.components.parameters, parameter), document),
      ),
      body: bodyOf(operation, document),
    })),
  };
};
