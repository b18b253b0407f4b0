import * as v from "valibot";
import { instant, replyInstant, oneOf, once, page, paging, uuid } from "../fields.ts";
import { booleanWord } from "../list-query.ts";
import { organizationParams } from "./fields.ts";
import { route } from "../route.ts";

const params = v.object({ ...organizationParams.entries, project_id: uuid });
const integer = v.pipe(v.number(), v.integer());

const words = { from: "Traces that started then or later.", to: "Traces that started before then." };

const range = {
  date_from: v.pipe(instant, v.description(words.from)),
  date_to: v.pipe(instant, v.description(words.to)),
};

const repricing = v.pipe(
  v.object({
    id: uuid,
    project_id: uuid,
    date_from: v.pipe(replyInstant, v.description(words.from)),
    date_to: v.pipe(replyInstant, v.description(words.to)),
    status: oneOf(["PENDING", "COMPLETED"]),
    requested_by: uuid,
    requested_at: replyInstant,
    completed_at: v.nullable(replyInstant),
    looked_at: v.pipe(integer, v.description("Traces of the range that were looked at so far.")),
    repriced: v.pipe(integer, v.description("Those of them that cost something else now.")),
    failed: v.pipe(
      integer,
      v.description("Those of them that could not be written; asked for again, they are tried again."),
    ),
  }),
  v.title("Repricing"),
  v.description(
    "A range of traces that gets the prices of `GET /prices` as they are when its traces come to their turn. Counts are short by what a worker did just before it died.",
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
    traces: v.pipe(integer, v.description("Traces of the range that have tokens: each one's document is read.")),
    total_tokens: integer,
    unpriced_tokens: integer,
    total_cost: v.pipe(v.number(), v.description("What they cost now.")),
  }),
  v.title("RepricingEstimate"),
  v.description("What would be looked at."),
  v.examples([{ traces: 4120, total_tokens: 1_200_000, unpriced_tokens: 1_200_000, total_cost: 0 }]),
);

export const createRepricing = route({
  id: "createRepricing",
  method: "POST",
  path: "/organizations/{org_id}/projects/{project_id}/repricings",
  handler: "api/access/organizations/create-repricing",
  summary: "Price the traces of a range by the list as it is now",
  description:
    "For admins and owners. In the background, from its next minute on, oldest traces first. What clients said that calls cost stays, and so does the price " +
    "of a model that is not listed any more. Neither the version that scores speak of changes nor when a trace changed: no " +
    "monitor runs because of it. Sums follow within seconds.",
  access: "user",
  params,
  query: v.object({
    dry_run: v.optional(once(v.pipe(booleanWord, v.description("Whether only to say what would be looked at."))), [
      "false",
    ]),
  }),
  body: v.pipe(
    v.object(range),
    v.title("RepricingInput"),
    v.examples([{ date_from: "2026-11-01", date_to: "2026-11-21" }]),
  ),
  success: 202,
  reply: repricing,
  dryRun: estimate,
  repeats: "recorded",
  grants: { access: ["GetItem", "PutItem"], aggregates: ["GetItem", "PutItem"], rows: ["GetItem", "Query"] },
  memory: 1024,
});

export const listRepricings = route({
  id: "listRepricings",
  method: "GET",
  path: "/organizations/{org_id}/projects/{project_id}/repricings",
  handler: "api/access/organizations/list-repricings",
  summary: "List what was repriced of a project, newest first",
  description: "Kept 400 days.",
  access: "user",
  params,
  query: v.object(paging),
  success: 200,
  reply: page(repricing),
  grants: { access: ["GetItem"], aggregates: ["Query"] },
});

export type RepricingReply = v.InferOutput<typeof repricing>;
