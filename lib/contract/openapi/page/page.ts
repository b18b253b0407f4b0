import type { OpenApiDocument } from "../openapi.ts";
import { clientGuide, clientGuideId } from "./client-guide.ts";
import { conventions } from "./conventions.ts";
import type { Call } from "./curl.ts";
import { datasetGuide, datasetGuideId } from "./dataset-guide.ts";
import { exportGuide, exportGuideId } from "./export-guide.ts";
import { exampleQuerySection } from "./example-queries.ts";
import { llmsText } from "./llms-text.ts";
import { guideSection, markdownGuides } from "./markdown-guides.ts";
import { labelGuide, labelGuideId } from "./label-guide.ts";
import { experimentGuide, experimentGuideId } from "./experiment-guide.ts";
import { schemaFields } from "./fields.ts";
import { Html, html, jsonBlock, prose } from "./html.ts";
import { navigation, type Resource } from "./navigation.ts";
import { operationSection } from "./operation.ts";
import { pageScript, pageStyle } from "./page-files.ts";
import { quickStart } from "./quick-start.ts";
import { schemaTopics } from "./schema-topics.ts";
import { detailOf, searchPlaces } from "./search-index.ts";
import { programs } from "./programs/programs.ts";
import { programSection, sendTraces } from "./send-traces.ts";
import { textBlocks } from "./text.ts";
import { toMarkdown } from "./to-markdown.ts";

// The Content-Security-Policy allows style and script by the hash of exactly their text: no whitespace may be added.
const styleElement = new Html(`<style>${pageStyle}</style>`);
const scriptElement = new Html(`<script>${pageScript}</script>`);

const callsOf = ({ paths }: OpenApiDocument): readonly Call[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );

const abbreviations: ReadonlySet<string> = new Set(["cli", "otlp"]);

const titleOf = (tag: string): string =>
  abbreviations.has(tag) ? tag.toUpperCase() : tag.charAt(0).toUpperCase() + tag.slice(1).replaceAll("-", " ");

/** Guides at the top of the pages of resources. */
const guideOfTopic: Readonly<Record<string, Html>> = {
  datasets: datasetGuide,
  labels: labelGuide,
  exports: exportGuide,
};

const programByTopic = new Map(programs.map((program) => [program.topic, program]));

const guideByTopic = new Map(markdownGuides.map((guide) => [guide.topic, guide]));

/** Title of a topic's page: that of its guide, the name of its program, or the topic itself. */
const pageTitle = (topic: string): string =>
  guideByTopic.get(topic)?.title ?? programByTopic.get(topic)?.name ?? titleOf(topic);

const resourcesOf = (document: OpenApiDocument): readonly Resource[] =>
  [...Map.groupBy(callsOf(document), ({ operation }) => operation.tags[0] ?? "")].map(([tag, calls]) => ({
    tag,
    title: titleOf(tag),
    calls,
  }));

type NamedSchema = readonly [name: string, schema: OpenApiDocument["components"]["schemas"][string]];

const schemaArticle = ([name, schema]: NamedSchema): Html =>
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

const schemaSection = (id: string, schemas: readonly NamedSchema[]): Html =>
  schemas.length === 0
    ? html``
    : html` <section id="${id}">
        <h2>Schemas</h2>
        ${schemas.map(schemaArticle)}
      </section>`;

const resourceSection = (document: OpenApiDocument, { tag, title, calls }: Resource): Html =>
  html` <section id="${tag}">
    <h2>${title}</h2>
    ${textBlocks(document.tags.find(({ name }) => name === tag)?.description ?? "")}
    ${calls.map((call, index) => operationSection(document, call, calls.slice(0, index)))}
  </section>`;

/** Topics other than resources and programs: the first page, the list of programs, and the schemas used by several resources. */
const [firstPage, programList, sharedSchemas] = ["", "send-traces", "schemas"] as const;

/** Topic of the list of all pages for language models. */
export const llmsList = "llms.txt";

/** Name of the first page among pages in Markdown, `start.md`; its topic is empty. */
const firstName = "start";

/** Topic under which the script of the pages finds the search index, an array in JSON. */
export const searchIndex = "search.json";

/**
 * Builds the documentation pages of an OpenAPI document: the first page, one per resource and per sample program, a list of the
 * programs, and one for schemas of several resources. A page loads no other files but the search index, works under any URL, and needs
 * its script only for the search.
 *
 * No published viewer replaces it: Scalar's script has 1,398 KB compressed, Redoc's 650, Swagger UI's 458, RapiDoc's 218, where a page here
 * has 10 to 25; and each of them writes `innerHTML`, which the pages forbid themselves.
 *
 * @returns a function that renders the page of a topic (`""` for the first page, else a tag of the document, a program's topic, a
 *   guide's, `send-traces`, `schemas`, `search.json` or `llms.txt`) with the URL of the service in its examples; null for an unknown
 *   topic. A topic with `.md` is the same page in Markdown.
 */
export const documentPages = (document: OpenApiDocument): ((topic: string, serviceUrl: string) => string | null) => {
  const { info, components } = document;
  const version = info["x-build"]?.version ?? info.version;
  const [introduction = "", ...rules] = info.description.split("\n\n");
  const resources = resourcesOf(document);
  const topicOfSchema = schemaTopics(document, sharedSchemas);
  const schemasOf = (topic: string): Html =>
    schemaSection(
      topic === sharedSchemas ? "shared-schemas" : "schemas",
      Object.entries(components.schemas).filter(([name]) => topicOfSchema.get(name) === topic),
    );
  const renderQuickStart = quickStart(document);

  const contents = (topic: string, serviceUrl: string): readonly Html[] | null => {
    if (topic === firstPage) {
      const lead = html`<p class="lead">${prose(introduction)}</p>`;
      return [lead, renderQuickStart(serviceUrl), exampleQuerySection, conventions(document, rules)];
    }
    if (topic === programList) return [sendTraces];
    if (topic === experimentGuideId) return [experimentGuide(serviceUrl)];
    const guide = guideByTopic.get(topic);
    if (guide !== undefined) return [guideSection(guide, serviceUrl)];
    if (topic === clientGuideId) return [clientGuide(serviceUrl)];
    const program = programByTopic.get(topic);
    if (program !== undefined) return [programSection(program, serviceUrl)];
    if (topic === sharedSchemas) return [schemasOf(topic)];
    const resource = resources.find(({ tag }) => tag === topic);
    if (resource === undefined) return null;
    return [guideOfTopic[topic] ?? html``, resourceSection(document, resource), schemasOf(topic)];
  };

  /** Topic of each id that other pages can link to; all other ids are on the first page. */
  const topicOfId = new Map([
    ...resources.flatMap(({ tag, calls }) => [
      [tag, tag] as const,
      ...calls.map(({ operation }) => [operation.operationId, tag] as const),
    ]),
    ...[...topicOfSchema].map(([name, topic]) => [`schema-${name}`, topic] as const),
    [programList, programList] as const,
    [experimentGuideId, experimentGuideId] as const,
    [clientGuideId, clientGuideId] as const,
    ["short-lived-functions", programList] as const,
    ["langfuse-events", programList] as const,
    [datasetGuideId, "datasets"] as const,
    [exportGuideId, "exports"] as const,
    [labelGuideId, "labels"] as const,
    ...[...programs, ...markdownGuides].map(({ topic }) => [topic, topic] as const),
    ["shared-schemas", sharedSchemas] as const,
  ]);

  /** Rewrites links to ids of other pages as URLs relative to this page: `/docs` for the first page, else `/docs/{topic}`. */
  const withLinks = (text: string, topic: string): string =>
    text.replaceAll(/ href="(?:#([^"]+)|openapi\.json)"/gu, (link, id: string | undefined) => {
      if (id === undefined) return topic === firstPage ? link : ' href="../openapi.json"';
      const target = id === "main" ? topic : (topicOfId.get(id) ?? firstPage);
      if (target === topic) return link;
      if (target === firstPage) return ` href="../docs#${id}"`;
      return topic === firstPage ? ` href="docs/${target}#${id}"` : ` href="${target}#${id}"`;
    });

  const allTopics = [
    firstPage,
    programList,
    ...resources.map(({ tag }) => tag),
    experimentGuideId,
    ...markdownGuides.map(({ topic }) => topic),
    clientGuideId,
    ...programs.map(({ topic }) => topic),
    sharedSchemas,
  ];

  /** Returns the page of a topic in Markdown; null for an unknown topic. */
  const markdownPage = (topic: string, serviceUrl: string): string | null => {
    const guide = guideByTopic.get(topic);
    if (guide !== undefined) return guide.text(serviceUrl);
    const main = contents(topic, serviceUrl);
    if (main === null) return null;
    const addressOf = (href: string): string => {
      if (!href.startsWith("#")) return href === "openapi.json" ? `${serviceUrl}/openapi.json` : href;
      const target = topicOfId.get(href.slice(1)) ?? firstPage;
      return target === topic ? href : `${serviceUrl}/docs/${target === firstPage ? firstName : target}.md`;
    };
    return toMarkdown(
      `<h1>${pageTitle(topic === firstPage ? info.title : topic)}</h1>${html`${main}`.text}`,
      addressOf,
    );
  };

  return (topic, serviceUrl) => {
    if (topic === llmsList) {
      const others = allTopics.filter((each) => !guideByTopic.has(each));
      const pages = others.map((each) =>
        each === firstPage ? { topic: firstName, title: "Quick start" } : { topic: each, title: pageTitle(each) },
      );
      return llmsText(introduction, markdownGuides, pages, serviceUrl);
    }
    if (topic.endsWith(".md")) {
      const name = topic.slice(0, -".md".length);
      return markdownPage(name === firstName ? firstPage : name, serviceUrl);
    }
    if (topic === searchIndex)
      return JSON.stringify(
        allTopics
          .flatMap((each) => searchPlaces(each, html`${contents(each, serviceUrl) ?? ""}`.text))
          .toSorted((a, b) => detailOf(a) - detailOf(b)),
      );
    const main = contents(topic, serviceUrl);
    if (main === null) return null;
    const page = html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>${topic === firstPage ? "" : `${pageTitle(topic)} - `}${info.title} ${version}</title>
          ${styleElement}
        </head>
        <body>
          ${navigation(info.title, resources, topic)}
          <main id="main">
            <h1>${info.title} <small>${version}</small></h1>
            ${main}
          </main>
          ${scriptElement}
        </body>
      </html> `;
    return withLinks(page.text, topic);
  };
};
