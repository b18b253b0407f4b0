import { exampleOf } from "./example.ts";
import { resolve, type MediaTypes, type OpenApiDocument, type Operation } from "./openapi.ts";

const inContent = (document: OpenApiDocument, content: MediaTypes): MediaTypes =>
  Object.fromEntries(
    Object.entries(content).map(([media, { schema }]) => [
      media,
      media !== "application/json" || resolve(document.components.schemas, schema).examples !== undefined
        ? { schema }
        : { schema, example: exampleOf(document, schema) },
    ]),
  );

const inBody = <Described extends { readonly content?: MediaTypes }>(
  document: OpenApiDocument,
  described: Described,
): Described =>
  described.content === undefined ? described : { ...described, content: inContent(document, described.content) };

const inOperation = (document: OpenApiDocument, operation: Operation): Operation => ({
  ...operation,
  ...(operation.requestBody && { requestBody: inBody(document, operation.requestBody) }),
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      "$ref" in response ? response : inBody(document, response),
    ]),
  ),
});

/** Adds an example to every JSON body whose schema has no example. */
export const withExamples = (document: OpenApiDocument): OpenApiDocument => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, inOperation(document, operation)])),
    ]),
  ),
});
