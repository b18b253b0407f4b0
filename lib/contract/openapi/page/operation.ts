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

const parametersOf = ({ parameters }: Operation): readonly Parameter[] =>
  parameters.flatMap((parameter): Parameter[] => ("$ref" in parameter ? [] : [parameter]));

/** Minimum number of equal parameters of two operations that are described only once on a page. */
const minShared = 10;

/** Lists the parameters of an operation; those of an earlier operation on the page by name, with a link to it. */
const parameterSection = (operation: Operation, earlier: readonly Call[]): Html => {
  const parameters = parametersOf(operation);
  if (parameters.length === 0) return html``;
  const textOf = (parameter: Parameter): string => JSON.stringify(parameter);
  const sharing = earlier
    .map((call) => {
      const texts = new Set(parametersOf(call.operation).map(textOf));
      return { call, shared: parameters.filter((parameter) => texts.has(textOf(parameter))) };
    })
    .toSorted((a, b) => b.shared.length - a.shared.length)[0];
  const { call, shared } = sharing === undefined || sharing.shared.length < minShared ? noneShared : sharing;
  const ownParameters = parameters.filter((parameter) => !shared.includes(parameter));
  const sharedText =
    call === null
      ? ""
      : html`<p>
          As for <a href="#${call.operation.operationId}">${call.operation.summary}</a>:
          ${shared.map(({ name }, index) => html`${index === 0 ? "" : ", "}${code(name)}`)}.
        </p>`;
  return html`<h4>Parameters</h4>
    ${ownParameters.length === 0 ? "" : fieldList(ownParameters.map(parameterField))} ${sharedText}`;
};

const noneShared: { readonly call: Call | null; readonly shared: readonly Parameter[] } = { call: null, shared: [] };

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

/** Renders an operation of the document as an article of a page. @param earlier operations before it on the page. */
export const operationSection = (document: OpenApiDocument, call: Call, earlier: readonly Call[]): Html => {
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
    ${sharedHeaders(document, operation)} ${parameterSection(operation, earlier)} ${bodySection(document, operation)}
    <h4>Example</h4>
    ${codeBlock(curlOf(document, call))} ${replySection(document, operation)}
  </article>`;
};
