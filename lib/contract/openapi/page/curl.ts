import type { Route } from "../../route.ts";
import { exampleOf } from "../example.ts";
import { resolve, type OpenApiDocument, type Operation } from "../openapi.ts";
import { jsonLines } from "./json-lines.ts";

/** An operation of the OpenAPI document, with its method and path. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Values for a sample call that replace the examples of the document: path parameters, and fields of the body. */
export interface SampleInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Returns the operation of a route. @throws Error if the document does not contain the route. */
export const callOf = ({ paths }: OpenApiDocument, { method, path }: Route): Call => {
  const verb = method.toLowerCase();
  const operation = paths[path]?.[verb];
  if (operation === undefined) throw new Error(`${method} ${path} is not in the document.`);
  return { method: verb, path, operation };
};

/** Quotes a text as a single word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** curl options with credentials, by name of the security scheme. */
const credentials: Readonly<Record<string, string>> = {
  apiKey: '-H "X-API-Key: $KEY"',
  projectName: "-H 'X-Project-Name: default'",
  bearer: '-H "Authorization: Bearer $TOKEN"',
  projectId: '-H "X-Project-ID: $PROJECT"',
};

/** curl options with the credentials of an API key. */
export const keyHeaders = [credentials["apiKey"], credentials["projectName"]].join(" ");

/** Replaces fields of an example body. The replaced fields come first, where readers notice them. */
const withFields = (example: unknown, fields: SampleInput["body"] = {}): unknown =>
  typeof example === "object" && !Array.isArray(example) ? { ...fields, ...example, ...fields } : example;

/** Builds the curl command of an operation for a shell in which `ASSAY` is the service's URL. */
export const curlOf = (
  document: OpenApiDocument,
  { method, path, operation }: Call,
  input: SampleInput = {},
): string => {
  const parameters = operation.parameters.map((parameter) => resolve(document.components.parameters, parameter));
  const filledPath = path.replaceAll(/\{(\w+)\}/gu, (_all, name: string) => {
    const definition = parameters.find((parameter) => parameter.in === "path" && parameter.name === name);
    return encodeURIComponent(input.params?.[name] ?? String(exampleOf(document, definition?.schema ?? {})));
  });
  const query = parameters
    .filter((parameter) => parameter.in === "query" && parameter.required === true)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(document, schema)))}`);
  const address = [filledPath, ...(query.length === 0 ? [] : [query.join("&")])].join("?");
  const headers = Object.keys(operation.security[0] ?? {}).map((scheme) => credentials[scheme] ?? "");
  const body = Object.entries(operation.requestBody?.content ?? {})
    .filter(([media]) => media === "application/json")
    .flatMap(([media, { schema, example }]) => [
      `-H 'Content-Type: ${media}'`,
      `-d ${shellWord(jsonLines(withFields(example ?? exampleOf(document, schema), input.body)))}`,
    ]);
  const verb = method === "get" || (method === "post" && body.length > 0) ? "" : `-X ${method.toUpperCase()} `;
  return [`curl -s ${verb}"$ASSAY${address}"`, ...headers, ...body].join(" \\\n  ");
};
