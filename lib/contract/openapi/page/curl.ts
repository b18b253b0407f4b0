import type { Route } from "../../route.ts";
import { exampleOf } from "../example.ts";
import { resolve, type OpenApiDocument, type Operation } from "../openapi.ts";
import { jsonLines } from "./json-lines.ts";

/** An operation and where it stands in the document. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** What a call is made with in place of the examples: path parameters, and fields of the body. */
export interface Given {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The call of a route. @throws Error when the document does not have it. */
export const callOf = ({ paths }: OpenApiDocument, { method, path }: Route): Call => {
  const verb = method.toLowerCase();
  const operation = paths[path]?.[verb];
  if (operation === undefined) throw new Error(`${method} ${path} is not in the document.`);
  return { method: verb, path, operation };
};

/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Headers that show how to be let in, by the name of a security scheme. */
const credentials: Readonly<Record<string, string>> = {
  apiKey: '-H "X-API-Key: $KEY"',
  projectName: "-H 'X-Project-Name: default'",
  bearer: '-H "Authorization: Bearer $TOKEN"',
  projectId: '-H "X-Project-ID: $PROJECT"',
};

/** Given fields stand first, where a reader looks. */
const withFields = (example: unknown, fields: Given["body"] = {}): unknown =>
  typeof example === "object" && !Array.isArray(example) ? { ...fields, ...example, ...fields } : example;

/** A call of an operation for a shell in which `ASSAY` is the service's address. */
export const curlOf = (document: OpenApiDocument, { method, path, operation }: Call, given: Given = {}): string => {
  const parameters = operation.parameters.map((parameter) => resolve(document.components.parameters, parameter));
  const filled = path.replaceAll(/\{(\w+)\}/gu, (_all, name: string) => {
    const found = parameters.find((parameter) => parameter.in === "path" && parameter.name === name);
    return encodeURIComponent(given.params?.[name] ?? String(exampleOf(document, found?.schema ?? {})));
  });
  const query = parameters
    .filter((parameter) => parameter.in === "query" && parameter.required === true)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(document, schema)))}`);
  const address = [filled, ...(query.length === 0 ? [] : [query.join("&")])].join("?");
  const headers = Object.keys(operation.security[0] ?? {}).map((scheme) => credentials[scheme] ?? "");
  const body = Object.entries(operation.requestBody?.content ?? {})
    .filter(([media]) => media === "application/json")
    .flatMap(([media, { schema, example }]) => [
      `-H 'Content-Type: ${media}'`,
      `-d ${shellWord(jsonLines(withFields(example ?? exampleOf(document, schema), given.body)))}`,
    ]);
  const verb = method === "get" || (method === "post" && body.length > 0) ? "" : `-X ${method.toUpperCase()} `;
  return [`curl -s ${verb}"$ASSAY${address}"`, ...headers, ...body].join(" \\\n  ");
};
