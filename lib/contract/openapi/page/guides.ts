import { html, type Html } from "./html.ts";
import { textBlocks } from "./text.ts";

/** Sections on subjects of several operations: id, title in the words that readers search for, text. */
const guides: readonly (readonly [id: string, title: string, text: string])[] = [
  [
    "pagination",
    "Lists and pagination",
    "A list is `{items, total, limit, offset, next_cursor}`: `limit` is 1 to 200, by default 50, and `offset` skips items. To read " +
      "all pages, send the `next_cursor` of each as `cursor` of the next one, until it is null: new items then shift no page. The `Link` header " +
      "has the URL of the next page. Operations that say so reply with an array unless `limit`, `offset` or `cursor` is sent. Always arrays, without " +
      "pages, are the short lists of metrics (`/evaluations/trace-metrics`, `/evaluations/session-metrics`), providers, plans and invoices, all scores of one trace or " +
      "session (`/evaluations/trace-scores/{trace_id}`, `/evaluations/session-scores/{session_id}`), and figures of analytics.",
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
    "spend",
    "Spending, budgets and ceilings",
    "`max_cost_usd` is the ceiling of one run, and the operator sets monthly ceilings of the deployment, of each organization and of each project. A judgement " +
      "starts only if its highest cost is left; a run that has to wait says why in `waiting_for`. `GET /evaluations/spend` has the month's cost and budgets.",
  ],
  [
    "masking",
    "Masking and redaction of personal data",
    "A project's `masking` (`PATCH /organizations/{org_id}/projects/{project_id}`, or Settings in the console) replaces texts by `[masked:<rule>]` before anything is " +
      "stored or computed from them, in traces, spans, log events and scores by every protocol: values of `keys` such as `password` or `*_token` at any depth, also in texts that " +
      "are JSON as a whole, but not within prose, code fences, several lines or what was cut off; values at JSON `paths` such as `$.spans[*].input.customer`; and texts that `presets` recognise, apart from ids. " +
      "`email` is an address. `card` is a number of a card network with its check digit, `iban` an account number with its check digits; both in groups of four or " +
      "without spaces. `phone` has `+` and the country's code, or is written `(212) 555-0123` or `212-555-0123`; other national numbers look like any number, so name " +
      "their keys. Digits may be of any script. Nothing is decoded, such as base64. `GET /traces/{trace_id}` counts masked texts by rule (`masked`), and " +
      "`POST /projects/{project_id}/masking/preview` shows what rules make of a trace.\n\n" +
      "`user_id` and `session_id` are masked only by a key of that name or a path, which makes one user of all; ids of traces, spans and scores, states, times, counts and costs never. Fields such as `name` " +
      "are masked by a key without `*`. A path names a place of a trace as `POST /traces` takes it; one into `input` or `output` of a trace or of its spans leads into " +
      "both, since one is often a copy of the other. Rules apply as a request arrives: what is stored stays, and late spans and traces that are sent again are masked by the rules of that moment. " +
      "Items of datasets that you write yourself, names and rules are stored as sent.\n\n" +
      "To keep texts from being sent at all, mask them in your program. Langfuse's SDKs take a function `mask`: " +
      "`Langfuse(mask=...)` in Python, `new LangfuseSpanProcessor({ mask })` in JavaScript. LangSmith's take `hide_inputs`, `hide_outputs` and `anonymizer`, " +
      "in JavaScript `hideInputs` and `hideOutputs`. With OpenTelemetry, a span exporter of yours changes the attributes, or a Collector with its processors " +
      "`redaction` or `transform` does. What was stored by mistake can be deleted.",
  ],
  [
    "docker",
    "Docker and containers",
    "Docker is not needed: `npm start` runs the whole service with Node, and a deployment consists of Lambda functions, without images. " +
      "The `Dockerfile` of the repository runs `npm start` on Linux: `docker build -t assay .`, then `docker run --network host assay`, because the service listens " +
      "on 127.0.0.1 only. A program in another container reaches it with `--network host` too.",
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
