import { curlOf } from "./curl.ts";
import { exampleOf } from "./example.ts";
import { html, prose, type Html } from "./html.ts";
import {
  resolve,
  type Content,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Response,
} from "./openapi.ts";
import { jsonBlock, schemaTable } from "./page-schema.ts";
import { textBlocks } from "./page-text.ts";
import { remarks, typeWords } from "./schema-words.ts";

const callers = (document: OpenApiDocument, { security }: Operation): string => {
  if (security.length === 0) return "Anyone.";
  const headerOf = (name: string): string => {
    const scheme = document.components.securitySchemes[name];
    return scheme?.type === "apiKey" ? `\`${scheme.name}\`` : "`Authorization: Bearer`";
  };
  return `${security.map((all) => Object.keys(all).map(headerOf).join(" with ")).join(", or ")}.`;
};

const parameterRow = ({ name, in: place, required, description, schema }: Parameter): Html =>
  html` <tr>
    <td><code>${name}</code></td>
    <td>${place}</td>
    <td>${typeWords(schema)}</td>
    <td>${required === true ? "required" : ""}</td>
    <td>${prose([...remarks(schema), description ?? ""].join(" "))}</td>
  </tr>`;

const parameterTable = (parameters: readonly Parameter[]): Html =>
  html` <h4>Parameters</h4>
    <table>
      <thead>
        <tr>
          <th>Name</th>
          <th>In</th>
          <th>Type</th>
          <th></th>
          <th></th>
        </tr>
      </thead>
      <tbody>
        ${parameters.map(parameterRow)}
      </tbody>
    </table>`;

const bodyOf = (document: OpenApiDocument, content: Content): Html =>
  html`${Object.entries(content).map(
    ([media, { schema, example }]) =>
      html` <p><code>${media}</code>: ${typeWords(schema)}</p>
        ${schemaTable(resolve(document.components.schemas, schema))}
        ${media === "application/json" ? jsonBlock(example ?? exampleOf(document, schema)) : ""}`,
  )}`;

const headerNames = (document: OpenApiDocument, { headers }: Response): Html[] =>
  Object.entries(headers).map(([name, header], index) => {
    const { schema } = resolve(document.components.headers, header);
    const fixed = typeof schema.const === "string" ? `: ${schema.const}` : "";
    return html`${index === 0 ? "" : ", "}<code>${name}${fixed}</code>`;
  });

const replyRow = (document: OpenApiDocument, status: string, response: Response): Html => {
  const types = Object.values(response.content ?? {}).map(({ schema }) => typeWords(schema));
  return html` <tr>
    <td>${status}</td>
    <td>${prose(response.description)}</td>
    <td>${types.length === 0 ? "no body" : types}</td>
    <td>${headerNames(document, response)}</td>
  </tr>`;
};

const replies = (document: OpenApiDocument, operation: Operation): Html => {
  const all = Object.entries(operation.responses).map(
    ([status, response]) => [status, resolve(document.components.responses, response)] as const,
  );
  const success = all.find(([status]) => status.startsWith("2"))?.[1].content;
  return html` <h4>Replies</h4>
    <table>
      <thead>
        <tr>
          <th>Status</th>
          <th></th>
          <th>Body</th>
          <th>Headers</th>
        </tr>
      </thead>
      <tbody>
        ${all.map(([status, response]) => replyRow(document, status, response))}
      </tbody>
    </table>
    ${
      success === undefined
        ? ""
        : html` <details>
            <summary>A successful reply</summary>
            ${bodyOf(document, success)}
          </details>`
    }`;
};

/** One operation of the document as a section of the page. */
export const operationSection = (
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: Operation,
): Html => {
  const parameters = operation.parameters.map((parameter) => resolve(document.components.parameters, parameter));
  const { operationId, summary, description, requestBody } = operation;
  return html` <article id="${operationId}">
    <h3>
      <a href="#${operationId}"><span class="${method}">${method.toUpperCase()}</span> <code>${path}</code></a>
    </h3>
    <p><strong>${summary}.</strong></p>
    ${description === undefined ? "" : textBlocks(description)}
    <p>Who may call: ${prose(callers(document, operation))}</p>
    ${parameterTable(parameters)}
    ${
      requestBody === undefined
        ? ""
        : html`<h4>Body</h4>
            ${bodyOf(document, requestBody.content)}`
    }
    ${replies(document, operation)}
    <h4>Call</h4>
    <pre>${curlOf(document, method, path, operation)}</pre>
  </article>`;
};
