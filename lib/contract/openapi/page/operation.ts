import { resolve, type OpenApiDocument, type Operation, type Parameter } from "../openapi.ts";
import { curlOf, type Call } from "./curl.ts";
import { fieldList, parameterField, schemaFields } from "./fields.ts";
import { breakable, code, codeBlock, html, prose, type Html } from "./html.ts";
import { replySection } from "./replies.ts";
import { typeWords } from "./schema-words.ts";
import { textBlocks } from "./text.ts";

const callersText = (document: OpenApiDocument, { security }: Operation): string => {
  if (security.length === 0) return "none.";
  const headerOf = (name: string): string => {
    const scheme = document.components.securitySchemes[name];
    return scheme?.type === "apiKey" ? `\`${scheme.name}\`` : "`Authorization: Bearer`";
  };
  return `${security.map((schemes) => Object.keys(schemes).map(headerOf).join(" with ")).join(", or ")}.`;
};

/** Lists the names of shared headers, with a link to their descriptions on the first page. */
const sharedHeaders = (document: OpenApiDocument, { parameters }: Operation): Html => {
  const names = parameters
    .filter((parameter) => "$ref" in parameter)
    .map((parameter) => resolve(document.components.parameters, parameter).name);
  return html`<p class="headers">
    <a href="#headers">Headers</a>: ${names.map((name, index) => html`${index === 0 ? "" : ", "}${code(name)}`)}.
  </p>`;
};

const parameterSection = ({ parameters }: Operation): Html => {
  const operationParameters = parameters.flatMap((parameter): Parameter[] => ("$ref" in parameter ? [] : [parameter]));
  if (operationParameters.length === 0) return html``;
  return html`<h4>Parameters</h4>
    ${fieldList(operationParameters.map(parameterField))}`;
};

const bodySection = (document: OpenApiDocument, { requestBody }: Operation): Html => {
  if (requestBody === undefined) return html``;
  const parts = Object.entries(requestBody.content).map(
    ([media, { schema }]) =>
      html` <p>${code(media)}: ${typeWords(schema)}</p>
        ${media === "application/json" ? schemaFields(resolve(document.components.schemas, schema)) : ""}`,
  );
  return html`<h4>Body</h4>
    ${parts}`;
};

/** Renders an operation of the document as an article of a page. */
export const operationSection = (document: OpenApiDocument, call: Call): Html => {
  const { method, path, operation } = call;
  const { operationId, summary, description } = operation;
  return html` <article id="${operationId}">
    <h3>
      <a href="#${operationId}"
        ><span class="${method}">${method.toUpperCase()}</span> <code>${breakable(path)}</code></a
      >
    </h3>
    <p class="lead">${summary}.</p>
    ${description === undefined ? "" : textBlocks(description)}
    <p>Authentication: ${prose(callersText(document, operation))}</p>
    ${sharedHeaders(document, operation)} ${parameterSection(operation)} ${bodySection(document, operation)}
    <h4>Example</h4>
    ${codeBlock(curlOf(document, call))} ${replySection(document, operation)}
  </article>`;
};
