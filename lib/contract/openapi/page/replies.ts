import { exampleOf } from "../example.ts";
import { resolve, type OpenApiDocument, type Operation, type Response } from "../openapi.ts";
import { entry } from "./fields.ts";
import { code, html, jsonBlock, prose, type Html } from "./html.ts";
import { typeWords } from "./schema-words.ts";

type StatusReply = readonly [status: string, reply: Response];

/** What a reply's body is, by media type. */
const bodyWords = ({ content = {} }: Response): readonly Html[] =>
  Object.entries(content).map(([media, { schema }]) =>
    media === "application/json" ? typeWords(schema) : html`${code(media)}: ${typeWords(schema)}`,
  );

/** Headers beyond the one that every reply has. */
const headerWords = (document: OpenApiDocument, { headers }: Response): readonly Html[] =>
  Object.entries(headers)
    .filter(([name]) => name !== "X-Request-ID")
    .map(([name, header]) => {
      const { schema } = resolve(document.components.headers, header);
      return code(typeof schema.const === "string" ? `${name}: ${schema.const}` : name);
    });

/** A reply as an entry of a list, under the statuses that have it. */
export const replyEntry = (document: OpenApiDocument, statuses: string, reply: Response): Html =>
  entry(
    html`${statuses === "default" ? "other" : statuses}`,
    prose(reply.description),
    ...bodyWords(reply),
    ...headerWords(document, reply),
  );

const exampleReply = (document: OpenApiDocument, [status, { content }]: StatusReply): Html => {
  const media = content?.["application/json"];
  if (media === undefined) return html``;
  return html`<details>
    <summary>Example of a ${status}</summary>
    ${jsonBlock(media.example ?? exampleOf(document, media.schema))}
  </details>`;
};

/** The replies of an operation: its own in full, those that most operations have by status. */
export const replySection = (document: OpenApiDocument, { responses }: Operation): Html => {
  const own = Object.entries(responses).flatMap(([status, reply]): StatusReply[] =>
    "$ref" in reply ? [] : [[status, reply]],
  );
  const shared = Object.keys(responses).filter(
    (status) => status !== "default" && !own.some(([known]) => known === status),
  );
  const alike = Map.groupBy(own, ([, reply]) => JSON.stringify(reply));
  const entries = [...alike.values()].flatMap((group) => {
    const statuses = group.map(([status]) => status).join(", ");
    return group.slice(0, 1).map(([, reply]) => replyEntry(document, statuses, reply));
  });
  return html` <h4>Replies</h4>
    <dl>${entries}</dl>
    ${own.filter(([status]) => status.startsWith("2")).map((reply) => exampleReply(document, reply))}
    ${shared.length === 0 ? "" : html`<p><a href="#errors">As for every call</a>: ${shared.join(", ")}.</p>`}`;
};
