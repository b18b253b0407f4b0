import { exampleOf } from "./example.ts";
import { resolve, type OpenApiDocument, type Operation } from "./openapi.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Headers that show how to be let in, by the name of a security scheme. */
const credentials: Readonly<Record<string, string>> = {
  apiKey: '-H "X-API-Key: $KEY"',
  projectName: "-H 'X-Project-Name: default'",
  bearer: '-H "Authorization: Bearer $TOKEN"',
  projectId: '-H "X-Project-ID: $PROJECT"',
};

/** A call of an operation for a shell in which `ASSAY` is the service's address. */
export const curlOf = (document: OpenApiDocument, method: string, path: string, operation: Operation): string => {
  const parameters = operation.parameters.map((parameter) => resolve(document.components.parameters, parameter));
  const filled = path.replaceAll(/\{(\w+)\}/gu, (_all, name: string) => {
    const found = parameters.find((parameter) => parameter.in === "path" && parameter.name === name);
    return encodeURIComponent(String(exampleOf(document, found?.schema ?? {})));
  });
  const query = parameters
    .filter((parameter) => parameter.in === "query" && parameter.required === true)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(document, schema)))}`);
  const address = [filled, ...(query.length === 0 ? [] : [query.join("&")])].join("?");
  const headers = Object.keys(operation.security[0] ?? {}).map((scheme) => credentials[scheme] ?? "");
  const body = Object.entries(operation.requestBody?.content ?? {}).flatMap(([media, { schema, example }]) => [
    `-H 'Content-Type: ${media}'`,
    `-d ${quoted(JSON.stringify(example ?? exampleOf(document, schema), null, 2))}`,
  ]);
  const verb = method === "get" || (method === "post" && body.length > 0) ? "" : `-X ${method.toUpperCase()} `;
  return [`curl -s ${verb}"$ASSAY${address}"`, ...headers, ...body].join(" \\\n  ");
};
