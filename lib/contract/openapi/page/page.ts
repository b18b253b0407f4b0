import type { OpenApiDocument } from "../openapi.ts";
import { conventions } from "./conventions.ts";
import type { Call } from "./curl.ts";
import { schemaFields } from "./fields.ts";
import { Html, html, jsonBlock, prose } from "./html.ts";
import { navigation, type Resource } from "./navigation.ts";
import { operationSection } from "./operation.ts";
import { quickStart } from "./quick-start.ts";
import { pageScript } from "./script.ts";
import { sendTraces } from "./send-traces.ts";
import { pageStyle } from "./style.ts";
import { textBlocks } from "./text.ts";

// The policy that the page is sent with names them by a hash of exactly this text: no blank may be added.
const styleElement = new Html(`<style>${pageStyle}</style>`);
const scriptElement = new Html(`<script>${pageScript}</script>`);

const callsOf = ({ paths }: OpenApiDocument): readonly Call[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );

const abbreviations: ReadonlySet<string> = new Set(["cli", "otlp"]);

const titleOf = (tag: string): string =>
  abbreviations.has(tag) ? tag.toUpperCase() : tag.charAt(0).toUpperCase() + tag.slice(1);

const resourcesOf = (document: OpenApiDocument): readonly Resource[] =>
  [...Map.groupBy(callsOf(document), ({ operation }) => operation.tags[0] ?? "")].map(([tag, calls]) => ({
    tag,
    title: titleOf(tag),
    calls,
  }));

const resourceSection = (document: OpenApiDocument, { tag, title, calls }: Resource): Html =>
  html` <section id="${tag}">
    <h2>${title}</h2>
    ${textBlocks(document.tags.find(({ name }) => name === tag)?.description ?? "")}
    ${calls.map((call) => operationSection(document, call))}
  </section>`;

const schemaSection = ([name, schema]: [string, OpenApiDocument["components"]["schemas"][string]]): Html =>
  html` <article id="schema-${name}">
    <h3><a href="#schema-${name}">${name}</a></h3>
    ${schema.description === undefined ? "" : html`<p>${prose(schema.description)}</p>`} ${schemaFields(schema)}
    ${
      schema.examples?.[0] === undefined
        ? ""
        : html`<details>
            <summary>Example</summary>
            ${jsonBlock(schema.examples[0])}
          </details>`
    }
  </article>`;

/**
 * The document as a page to read. It loads nothing, works at any address, and is complete without its script, which only
 * searches.
 *
 * @returns gives the page for the address at which the service was reached.
 */
export const documentPage = (document: OpenApiDocument): ((serviceUrl: string) => string) => {
  const { info, components } = document;
  const [introduction = "", ...rules] = info.description.split("\n\n");
  const resources = resourcesOf(document);
  const side = navigation(info.title, resources);
  const firstSteps = quickStart(document);
  const reference = [
    sendTraces,
    conventions(document, rules),
    ...resources.map((resource) => resourceSection(document, resource)),
    html` <section id="schemas">
      <h2>Schemas</h2>
      ${Object.entries(components.schemas).map(schemaSection)}
    </section>`,
  ];
  return (serviceUrl) =>
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${info.title} ${info.version}</title>
          ${styleElement}
        </head>
        <body id="top">
          ${side}
          <main>
            <h1>${info.title} <small>${info.version}</small></h1>
            <p class="lead">${prose(introduction)}</p>
            ${firstSteps(serviceUrl)} ${reference}
          </main>
          ${scriptElement}
        </body>
      </html> `.text;
};
