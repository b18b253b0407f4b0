import { exampleOf } from "../example.ts";
import { resolve, type OpenApiDocument, type Operation, type Response } from "../openapi.ts";
import { entry } from "./fields.ts";
import { code, html, jsonBlock, prose, type Html } from "./html.ts";
import { typeWords } from "./schema-words.ts";

type StatusReply = readonly [status: string, reply: Response];

/** Renders the type of a reply's body for each media type. */
const bodyWords = ({ content = {} }: Response): readonly Html[] =>
  Object.entries(content).map(([media, { schema }]) =>
    media === "application/json" ? typeWords(schema) : html`${code(media)}: ${typeWords(schema)}`,
  );

/** Renders the names of a reply's headers, except `X-Request-ID`, which every reply has. */
const headerWords = (document: OpenApiDocument, { headers }: Response): readonly Html[] =>
  Object.entries(headers)
    .filter(([name]) => name !== "X-Request-ID")
    .map(([name, header]) => {
      const { schema } = resolve(document.components.headers, header);
      return code(typeof schema.const === "string" ? `${name}: ${schema.const}` : name);
    });

/** Renders a reply as an entry of a description list, with the statuses that have this reply. */
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

/** Renders the replies of an operation: those specific to it in full, shared ones only by status. */
export const replySection = (document: OpenApiDocument, { responses, "x-dry-run": dryRun }: Operation): Html => {
  const ownReplies = Object.entries(responses)
    .flatMap(([status, reply]): StatusReply[] => ("$ref" in reply ? [] : [[status, reply]]))
    .concat(dryRun === undefined ? [] : [["200", dryRun]]);
  const sharedStatuses = Object.keys(responses).filter(
    (status) => status !== "default" && !ownReplies.some(([ownStatus]) => ownStatus === status),
  );
  const identicalReplies = Map.groupBy(ownReplies, ([, reply]) => JSON.stringify(reply));
  const entries = [...identicalReplies.values()].flatMap((group) => {
    const statuses = group.map(([status]) => status).join(", ");
    return group.slice(0, 1).map(([, reply]) => replyEntry(document, statuses, reply));
  });
  return html` <h4>Replies</h4>
    <dl>${entries}</dl>
    ${ownReplies.filter(([status]) => status.startsWith("2")).map((reply) => exampleReply(document, reply))}
    ${sharedStatuses.length === 0 ? "" : html`<p><a href="#errors">Common errors</a>: ${sharedStatuses.join(", ")}.</p>`}`;
};
