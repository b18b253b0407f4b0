import { errorCodes } from "../../../domain/error-codes.ts";
import { resolve, type OpenApiDocument, type Response } from "../openapi.ts";
import { fieldList, parameterField } from "./fields.ts";
import { code, html, prose, type Html } from "./html.ts";
import { guideSections } from "./guides.ts";
import { replyEntry } from "./replies.ts";
import { textBlocks } from "./text.ts";

/** Returns the error replies shared by several operations, each with the statuses under which operations refer to it. */
const sharedReplies = ({ paths, components }: OpenApiDocument): ReadonlyMap<Response, ReadonlySet<string>> => {
  const statuses = new Map<Response, Set<string>>();
  const responses = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap((operation) => Object.entries(operation.responses));
  for (const [status, response] of responses) {
    if (!("$ref" in response)) continue;
    const shared = resolve(components.responses, response);
    statuses.set(shared, (statuses.get(shared) ?? new Set()).add(status));
  }
  return statuses;
};

const variables =
  "In the examples, `$ASSAY` and `$KEY` are set as in the quick start, `$TOKEN` is a bearer token and `$PROJECT` is the id of a " +
  "project.";

/** Renders an error code with its description. The entry's id is the target of `documentation_url` in error replies. */
const codeEntry = ([name, words]: readonly [string, string]): Html =>
  html`<dt id="error-${name}">${code(name)}</dt>
    <dd>${prose(words)}</dd>`;

const eventsText =
  "The service puts events on the operator's EventBridge bus, with the source `assay`, the kind as `detail-type`, and in `detail` the " +
  "fields of the kind's schema: ids, names and the numbers that decided, no text of traces. Locally they are lines of " +
  "`.local/events.jsonl`. The operator's setting `notifications` passes them to e-mail, Slack, PagerDuty or a webhook of yours. Each event is delivered at least once: one with a known `detail.id` is a repetition.";

/** Renders the kinds of events, each with a link to its schema. */
const eventList = ({ webhooks, components }: OpenApiDocument): Html =>
  html`<dl>
    ${Object.entries(webhooks).map(([kind, { post }]) => {
      const detail = post.requestBody.content["application/json"]?.schema.properties?.["detail"] ?? {};
      const name = detail.$ref?.split("/").at(-1) ?? "";
      return html`<dt id="event-${kind.replace(".", "-")}"><a href="#schema-${name}">${kind}</a></dt>
        <dd>${prose(components.schemas[name]?.description ?? "")}</dd>`;
    })}
  </dl>`;

/** Renders the section about rules, headers and errors that apply to all operations. */
export const conventions = (document: OpenApiDocument, rules: readonly string[]): Html => {
  const replies = [...sharedReplies(document)].map(([reply, statuses]) => ({
    reply,
    status: [...statuses].join(", "),
  }));
  return html`<section id="every-call">
    <h2>Conventions of the API</h2>
    ${textBlocks([...rules, variables].join("\n\n"))} ${guideSections}
    <h3 id="headers">Headers</h3>
    ${fieldList(Object.values(document.components.parameters).map(parameterField))}
    <h3 id="errors">Errors</h3>
    <dl>
      ${replies
        .toSorted((a, b) => (a.status < b.status ? -1 : 1))
        .map(({ reply, status }) => replyEntry(document, status, reply))}
    </dl>
    <h3 id="error-codes">Error codes</h3>
    <dl>${Object.entries(errorCodes).map(codeEntry)}</dl>
    <h3 id="events">Events, webhooks and notifications</h3>
    ${textBlocks(eventsText)} ${eventList(document)}
  </section>`;
};
