import { getDocsTopic } from "../../../lib/contract/openapi/documentation.ts";
import { openApiDocument } from "../../../lib/contract/openapi/document.ts";
import { documentPages, searchIndex } from "../../../lib/contract/openapi/page/page.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { environmentOpenGuard } from "../../../lib/wiring/access-guards.ts";
import { FixedText } from "../../../lib/http/documents/fixed-text.ts";
import { required, variables } from "../../../lib/wiring/environment.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";

const build = { version: required(variables.version), commit: required(variables.commit) };

const pageOf = documentPages(openApiDocument(routes, build));

/** Cache of rendered pages by topic, for the base URL of the latest request; it rarely changes. */
let rendered = { serviceUrl: "", texts: new Map<string, FixedText>() };

/** Handles `/docs` (without a topic) and `/docs/{topic}`, of which `search.json` is no page. */
export const handler = endpoint(
  getDocsTopic,
  environmentOpenGuard(),
  async ({ params: { topic = "" }, serviceUrl }) => {
    if (rendered.serviceUrl !== serviceUrl) rendered = { serviceUrl, texts: new Map() };
    const cached = rendered.texts.get(topic);
    if (cached !== undefined) return cached;
    const page = pageOf(topic, serviceUrl);
    if (page === null) throw notFound("Unknown documentation topic. The first page, /docs, lists all topics.");
    const text = new FixedText(page, topic === searchIndex ? { "Content-Type": "application/json" } : {});
    rendered.texts.set(topic, text);
    return text;
  },
);
