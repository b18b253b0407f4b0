import { createHash } from "node:crypto";
import * as v from "valibot";
import { pageScript, pageStyle } from "./page/page-files.ts";
import { pageHeaders, route } from "../route.ts";

/** Cache lifetime of the documentation and the OpenAPI document, which change only with a deployment. */
const fiveMinutes = { "Cache-Control": "public, max-age=300" };

const openApi = v.pipe(
  v.looseObject({ openapi: v.string(), info: v.looseObject({ title: v.string(), version: v.string() }) }),
  v.description("An OpenAPI 3.1 document."),
  v.examples([{ openapi: "3.1.1", info: { title: "Assay", version: "0.1.0" } }]),
);

export const getOpenApi = route({
  id: "getOpenApi",
  method: "GET",
  path: "/openapi.json",
  handler: "api/service/get-open-api",
  summary: "Get the OpenAPI document",
  access: "public",
  success: 200,
  reply: openApi,
  headers: fiveMinutes,
  grants: {},
  streams: true,
  memory: 256,
});

const source = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Allows only the page's own script and style, by their hashes, and requests of the search index; forbids forms and frames. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src ${source(pageScript)}`,
  `style-src ${source(pageStyle)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const getDocs = route({
  id: "getDocs",
  method: "GET",
  path: "/docs",
  handler: "api/service/get-docs",
  summary: "Get the documentation page",
  description:
    "Returns this documentation as HTML, or in Markdown with `Accept: text/markdown`; `GET /` redirects here.",
  access: "public",
  success: 200,
  reply: v.string(),
  media: "text/html; charset=utf-8",
  textMedia: "text/markdown; charset=utf-8",
  headers: { ...pageHeaders, ...fiveMinutes, "Content-Security-Policy": contentSecurityPolicy },
  grants: {},
  streams: true,
  memory: 256,
});

/** Route of the documentation pages of single topics, served by the same function as `getDocs`. */
export const getDocsTopic = route({
  ...getDocs,
  id: "getDocsTopic",
  path: "/docs/{topic}",
  answeredBy: getDocs.id,
  isPageOnly: true,
  summary: "Get one documentation topic",
  params: v.object({
    topic: v.optional(
      v.pipe(
        v.string(),
        v.maxLength(64),
        v.description(
          "A resource, an SDK, a guide, `send-traces`, `experiments-and-gates`, `schemas` or `search.json`; with `.md` in Markdown.",
        ),
      ),
    ),
  }),
});

/** Route of the list of all pages for language models, served by the same function as `getDocs`. */
export const getLlmsText = route({
  ...getDocs,
  id: "getLlmsText",
  path: "/llms.txt",
  answeredBy: getDocs.id,
  isPageOnly: true,
  summary: "List the pages for language models",
  media: "text/plain; charset=utf-8",
});
