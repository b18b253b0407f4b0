import { getDocs, getDocsTopic, getLlmsText } from "../../../lib/contract/openapi/documentation.ts";
import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { documentPages, llmsList, searchIndex } from "../../../lib/contract/openapi/page/page.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { environmentOpenGuard } from "../../../lib/wiring/access-guards.ts";
import { acceptedType } from "../../../lib/http/accepted-type.ts";
import { FixedText } from "../../../lib/http/documents/fixed-text.ts";
import { required, variables } from "../../../lib/wiring/environment.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";

const build = { version: required(variables.version), commit: required(variables.commit) };

const pageOf = documentPages(openApiDocument(routes, build));

/** Cache of rendered pages by topic, for the base URL of the latest request; it rarely changes. */
let rendered = { serviceUrl: "", texts: new Map<string, FixedText>() };

const typeOf = (topic: string): Readonly<Record<string, string>> => {
  if (topic === searchIndex) return { "Content-Type": "application/json" };
  if (topic.endsWith(".md")) return { "Content-Type": getDocs.textMedia };
  return topic === llmsList ? { "Content-Type": getLlmsText.media } : {};
};

/** Handles `/docs` (without a topic), `/docs/{topic}`, of which `search.json` is no page, and `/llms.txt`. */
export const handler = endpoint(
  getDocsTopic,
  environmentOpenGuard(),
  async ({ event, params: { topic: name = "" }, serviceUrl }) => {
    const isPage = event.resource !== getLlmsText.path && !name.includes(".");
    const prefersMarkdown = isPage && acceptedType(event, ["text/markdown"], "text/html") !== null;
    const topic =
      event.resource === getLlmsText.path
        ? llmsList
        : prefersMarkdown
          ? `${name || "start"}.md`
          : name === "start"
            ? ""
            : name;
    if (rendered.serviceUrl !== serviceUrl) rendered = { serviceUrl, texts: new Map() };
    const cached = rendered.texts.get(topic);
    if (cached !== undefined) return cached;
    const page = pageOf(topic, serviceUrl);
    if (page === null) throw notFound("Unknown documentation topic. The first page, /docs, lists all topics.");
    const text = new FixedText(page, typeOf(topic));
    rendered.texts.set(topic, text);
    return text;
  },
);
