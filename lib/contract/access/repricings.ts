import * as v from "valibot";
import { integer, instant, replyInstant, oneOf, page, paging, uuid } from "../schema/fields.ts";
import { dryRunField, dryRunQuery } from "../list-query.ts";
import { organizationParams } from "./fields.ts";
import { route } from "../route.ts";

const params = v.object({ ...organizationParams.entries, project_id: uuid });

const rangeDescriptions = {
  from: "Start of the range of trace start times, inclusive.",
  to: "End of the range of trace start times, exclusive.",
};

const range = {
  date_from: v.pipe(instant, v.description(rangeDescriptions.from)),
  date_to: v.pipe(instant, v.description(rangeDescriptions.to)),
};

const repricing = v.pipe(
  v.object({
    id: uuid,
    project_id: uuid,
    date_from: v.pipe(replyInstant, v.description(rangeDescriptions.from)),
    date_to: v.pipe(replyInstant, v.description(rangeDescriptions.to)),
    status: oneOf(["PENDING", "COMPLETED"]),
    requested_by: uuid,
    requested_at: replyInstant,
    completed_at: v.nullable(replyInstant),
    looked_at: v.pipe(integer, v.description("Number of traces in the range that were checked so far.")),
    repriced: v.pipe(integer, v.description("Number of checked traces whose cost has changed.")),
    failed: v.pipe(
      integer,
      v.description("Number of checked traces that could not be updated; a new repricing tries them again."),
    ),
  }),
  v.title("Repricing"),
  v.description(
    "An update of the cost of traces in a date range to the prices in `GET /prices` at the time of processing. Counts omit traces processed just before a worker failed.",
  ),
  v.examples([
    {
      id: "3f1b0a9c-5d2e-8c47-9a61-7b0c2d4e6f80",
      project_id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      date_from: "2026-11-01T00:00:00.000000+00:00",
      date_to: "2026-11-21T00:00:00.000000+00:00",
      status: "COMPLETED" as const,
      requested_by: "7a1d4a52-8c0f-8b1e-a6c3-2f4b8d9e0c11",
      requested_at: "2026-11-21T09:00:00.000000+00:00",
      completed_at: "2026-11-21T09:03:10.000000+00:00",
      looked_at: 4120,
      repriced: 3988,
      failed: 0,
    },
  ]),
);

const estimate = v.pipe(
  v.object({
    traces: v.pipe(integer, v.description("Number of traces in the range with tokens, each of which is read.")),
    total_tokens: integer,
    unpriced_tokens: integer,
    total_cost: v.pipe(v.number(), v.description("Current cost of these traces in US dollars.")),
  }),
  v.title("RepricingEstimate"),
  v.description("Estimate of the traces that a repricing would process."),
  v.examples([{ traces: 4120, total_tokens: 1_200_000, unpriced_tokens: 1_200_000, total_cost: 0 }]),
);

export const createRepricing = route({
  id: "createRepricing",
  method: "POST",
  path: "/organizations/{org_id}/projects/{project_id}/repricings",
  handler: "api/access/organizations/create-repricing",
  summary: "Create a repricing",
  description:
    "Recomputes the cost of traces in a date range from the current price list in the background, starting within a minute with the " +
    "oldest traces. Requires the admin or owner role. Costs sent by clients and prices of models that are no longer listed are kept. The " +
    "version and change time of a trace stay the same, so that monitors do not run because of a repricing. Totals follow within " +
    "seconds.",
  access: "user",
  params,
  query: dryRunQuery("True to return an estimate without changing anything."),
  body: v.pipe(
    v.object({ ...range, ...dryRunField }),
    v.title("RepricingInput"),
    v.examples([{ date_from: "2026-11-01", date_to: "2026-11-21" }]),
  ),
  success: 202,
  reply: repricing,
  dryRun: estimate,
  idempotency: "replay",
  grants: {
    access: { GetItem: ["project"], PutItem: ["audit"] },
    aggregates: ["GetItem", "PutItem"],
    rows: ["GetItem", "Query"],
  },
  memory: 1024,
});

export const listRepricings = route({
  id: "listRepricings",
  method: "GET",
  path: "/organizations/{org_id}/projects/{project_id}/repricings",
  handler: "api/access/organizations/list-repricings",
  summary: "List repricings",
  description: "Returns the repricings of a project, newest first. They are kept for 400 days.",
  access: "user",
  params,
  query: v.object(paging),
  success: 200,
  reply: page(repricing),
  grants: { access: { GetItem: ["project"] }, aggregates: ["Query"] },
});

export type RepricingReply = v.InferOutput<typeof repricing>;
