import { html, type Html } from "./html.ts";
import { textBlocks } from "./text.ts";

/** Sections on subjects of several operations: id, title in the words that readers search for, text. */
const guides: readonly (readonly [id: string, title: string, text: string])[] = [
  [
    "pagination",
    "Lists and pagination",
    "A list is `{items, total, limit, offset, next_cursor}`: `limit` is 1 to 200, by default 50, and `offset` skips items. To read " +
      "all pages, send the `next_cursor` of each as `cursor` of the next one, until it is null: new items then shift no page. The `Link` header " +
      "has the URL of the next page. Operations that say so reply with an array unless `limit`, `offset` or `cursor` is sent.",
  ],
  [
    "rate-limits",
    "Rate limits and 429",
    "Each operation names its requests per minute. The headers `RateLimit-Policy` and `RateLimit` have the quota and what is left of it. Beyond it " +
      "the reply is a 429 with the code `rate_limited`: wait the seconds of `Retry-After`, then send the request again; nothing of it was stored.",
  ],
  [
    "idempotency",
    "Retries and idempotency",
    "A POST with an `Idempotency-Key` can be sent again after a time-out or a 5xx: it is executed once. Traces, spans and scores with ids of " +
      "your own are merged or replaced by id, also without the header.",
  ],
  [
    "retention",
    "Retention and deletion",
    "The operator's setting `retentionDays` is the number of days for which a trace is kept after its arrival; 0 keeps it for good. " +
      "Analytics keep hourly sums of expired traces. Traces, sessions, scores, projects and organizations can be deleted at any time; the deletion of a " +
      "project or an organization has a receipt.",
  ],
];

/** The guides, each below a heading that the search finds. */
export const guideSections: readonly Html[] = guides.map(
  ([id, title, text]) =>
    html` <h3 id="${id}">${title}</h3>
      ${textBlocks(text)}`,
);
