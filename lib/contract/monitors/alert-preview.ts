import * as v from "valibot";
import { maxPreviewWeeks, maxPreviewWindows } from "../../domain/alerts/preview.ts";
import { alertStates } from "../../domain/alerts/state.ts";
import { route } from "../route.ts";
import { closedObject } from "../schema/closed-object.ts";
import { instant, integer, oneOf, replyInstant } from "../schema/fields.ts";
import { requestExamples } from "../schema/resource.ts";
import { alertChange, alertResource, evaluation } from "./alerts.ts";

/** Traces or scores that a preview reads at most. */
export const maxPreviewReads = 100_000;

const previewInput = v.pipe(
  closedObject({
    ...alertResource.input,
    date_from: v.nullish(
      v.pipe(
        instant,
        v.description(
          `Start of the range: at most ${maxPreviewWeeks} weeks and ${maxPreviewWindows} windows before its end; by default 200 windows or 4 weeks.`,
        ),
      ),
    ),
    date_to: v.nullish(v.pipe(instant, v.description("End of the range and of its last window; by default now."))),
  }),
  v.title("AlertPreviewInput"),
  requestExamples([
    {
      name: "errors",
      filters: {},
      signal: "error_rate",
      window: "1h",
      metric_name: null,
      below: 0.5,
      compare_with: "threshold",
      threshold: 0.05,
      minimum_count: 30,
      significance: true,
      no_data: "ok",
      severity: "warning",
      announce_scores: false,
      enabled: true,
      date_from: "2026-11-14T09:00:00Z",
    },
  ]),
);

const previewWindow = v.pipe(
  v.object({
    window_end: replyInstant,
    ...evaluation.entries,
    state: v.pipe(oneOf(alertStates), v.description("State of the rule after the window.")),
  }),
  v.title("AlertPreviewWindow"),
);

/** A destination that the operator has set, without what is secret or personal of it. */
export const alertReceiver = v.pipe(
  v.object({
    name: v.pipe(v.string(), v.description("Name that the operator gave the destination.")),
    emails: v.pipe(integer, v.description("Number of its e-mail addresses.")),
    webhook: v.pipe(v.nullable(v.string()), v.description("Host of its webhook; null without one.")),
  }),
  v.title("AlertReceiver"),
);

const alertPreview = v.pipe(
  v.object({
    windows: v.pipe(v.array(previewWindow), v.description("All windows of the range, oldest first.")),
    transitions: v.pipe(
      v.array(alertChange),
      v.description("When the rule would have changed its state, oldest first."),
    ),
    observations: v.pipe(
      integer,
      v.description("Traces or scores that the windows and those that they are compared with contain."),
    ),
    warnings: v.pipe(v.array(v.string()), v.description("Advice about the rule, in sentences.")),
    receivers: v.pipe(
      v.array(alertReceiver),
      v.description(
        "Destinations of the deployment that are told of its alerts; programs may read its event bus beside them.",
      ),
    ),
  }),
  v.title("AlertPreview"),
  v.description("What a rule would have done in a time range."),
);

export type AlertPreviewReply = v.InferOutput<typeof alertPreview>;

export const previewAlert = route({
  id: "previewAlert",
  method: "POST",
  idempotency: "none",
  path: "/evaluations/alerts/preview",
  handler: "api/monitors/preview-alert",
  summary: "Preview an alert rule",
  description:
    `Computes from stored traces or scores when a rule would have fired, and stores nothing. It reads at most ${maxPreviewReads.toLocaleString("en")} ` +
    "traces or scores; above that the reply is 422 with their number. Traces and scores count as they are now. A score signal with trace filters " +
    "counts the scores of traces that started in the range or up to a day before it.",
  access: "project",
  permission: "write",
  body: previewInput,
  success: 200,
  reply: alertPreview,
  grants: {
    monitors: ["GetItem", "Query"],
    rows: ["GetItem", "Query"],
    aggregates: ["GetItem", "Query", "BatchGetItem"],
    scores: ["Query"],
  },
  warns: true,
  memory: 1024,
});
