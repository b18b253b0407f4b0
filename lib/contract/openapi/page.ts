import { Html, html, prose } from "./html.ts";
import type { OpenApiDocument, Operation } from "./openapi.ts";
import { operationSection } from "./page-operation.ts";
import { jsonBlock, schemaTable } from "./page-schema.ts";
import { pageStyle } from "./page-style.ts";
import { textBlocks } from "./page-text.ts";

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const entriesOf = ({ paths }: OpenApiDocument): readonly Entry[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );

const navigation = (groups: ReadonlyMap<string, readonly Entry[]>): Html =>
  html` <nav>
    <p><a href="openapi.json">openapi.json</a> · <a href="#schemas">Schemas</a></p>
    ${[...groups].map(
      ([tag, entries]) =>
        html` <strong>${tag}</strong>
          <ul>
            ${entries.map(
              ({ method, path, operation }) =>
                html` <li>
                  <a href="#${operation.operationId}"><span class="${method}">${method.toUpperCase()}</span> ${path}</a>
                </li>`,
            )}
          </ul>`,
    )}
  </nav>`;

const schemaSection = ([name, schema]: [string, OpenApiDocument["components"]["schemas"][string]]): Html =>
  html` <article id="schema-${name}">
    <h3><a href="#schema-${name}">${name}</a></h3>
    <p>${prose(schema.description ?? "")}</p>
    ${schemaTable(schema)}
    ${
      schema.examples?.[0] === undefined
        ? ""
        : html`<details>
            <summary>Example</summary>
            ${jsonBlock(schema.examples[0])}
          </details>`
    }
  </article>`;

/** The document as a page to read. It needs no script, no other file, and works at any address. */
export const documentPage = (document: OpenApiDocument): string => {
  const { info, components } = document;
  const about = new Map(
    document.tags.map(({ name, description }) => [name, description === undefined ? "" : textBlocks(description)]),
  );
  const groups = Map.groupBy(entriesOf(document), ({ operation }) => operation.tags[0] ?? "");
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title} ${info.version}</title>
        <style>
          ${new Html(pageStyle)}
        </style>
      </head>
      <body>
        ${navigation(groups)}
        <main>
          <h1>${info.title} ${info.version}</h1>
          ${textBlocks(info.description)}
          <p>
            In the calls below <code>$ASSAY</code> is the address of this page without <code>/docs</code>, and
            <code>$KEY</code> is an API key.
          </p>
          ${[...groups].map(
            ([tag, entries]) =>
              html` <h2 id="${tag}">${tag}</h2>
                ${about.get(tag) ?? ""}
                ${entries.map(({ method, path, operation }) => operationSection(document, method, path, operation))}`,
          )}
          <h2 id="schemas">Schemas</h2>
          ${Object.entries(components.schemas).map(schemaSection)}
        </main>
      </body>
    </html> `.text;
};
