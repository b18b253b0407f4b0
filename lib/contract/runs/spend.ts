import * as v from "valibot";
import { integer, oneOf, replyInstant } from "../schema/fields.ts";
import { route } from "../route.ts";

const dollars = v.number();

const percent = v.pipe(
  v.number(),
  v.integer(),
  v.description(
    "Spent and reserved part of the ceiling in percent, rounded down; above 100 if judge calls cost more than reserved.",
  ),
);

const budget = v.pipe(
  v.object({
    ceiling_usd: v.pipe(dollars, v.description("Maximum cost of judge calls per month in US dollars.")),
    spent_usd: v.pipe(dollars, v.description("Cost of judge calls in this month in US dollars.")),
    reserved_usd: v.pipe(
      dollars,
      v.description("Amount reserved for judgements in progress in US dollars; the unused part is released."),
    ),
    left_usd: v.pipe(
      dollars,
      v.description("Amount neither spent nor reserved in US dollars; 0 if the ceiling is exceeded."),
    ),
    used_percent: percent,
  }),
  v.title("Budget"),
);

const monthSpend = v.pipe(
  v.object({
    currency: oneOf(["USD"]),
    period: oneOf(["month"]),
    period_start: v.pipe(replyInstant, v.description("Start of the calendar month in UTC, inclusive.")),
    period_end: v.pipe(
      replyInstant,
      v.description("Start of the next calendar month in UTC, when all ceilings are reset."),
    ),
    spent_usd: v.pipe(
      dollars,
      v.description(
        "Cost in US dollars of this project's judge calls in this month, with or without a ceiling: of runs, also deleted ones, and of previews.",
      ),
    ),
    organization_spent_usd: v.pipe(
      dollars,
      v.description(
        "Cost in US dollars of the judge calls of all projects of the organization in this month, also deleted ones; runs in progress of other projects are included up to the last minutes.",
      ),
    ),
    runs: v.pipe(
      integer,
      v.description(
        "Number of this project's runs that were created in this month and still exist, up to the newest 500 of each kind.",
      ),
    ),
    unpriced_runs: v.pipe(integer, v.description("Number of these runs whose cost is not known.")),
    is_complete: v.pipe(
      v.boolean(),
      v.description(
        "False if the month began before the upgrade to a version that counts costs: what deleted runs, previews and runs beyond the newest 500 of a kind cost before it is missing in both amounts.",
      ),
    ),
    notice: v.pipe(
      v.nullable(v.string()),
      v.description("A warning that judging has no monthly ceiling at all; null with a ceiling."),
    ),
    project: v.pipe(v.nullable(budget), v.description("Budget of this project; null if projects have no ceiling.")),
    organization: v.pipe(
      v.nullable(budget),
      v.description("Budget shared by all projects of the organization; null if organizations have no ceiling."),
    ),
    deployment: v.pipe(
      v.nullable(
        v.pipe(
          v.object({
            used_percent: v.pipe(
              v.number(),
              v.integer(),
              v.description(
                "Part of the ceiling that this organization uses in percent, rounded down; this project if organizations have no ceiling.",
              ),
            ),
            is_used_up: v.pipe(
              v.boolean(),
              v.description("True if all organizations together have used the ceiling up."),
            ),
          }),
          v.title("DeploymentBudget"),
        ),
      ),
      v.description(
        "Budget of the whole deployment, without amounts and the use by others, which only the operator can see; null without a ceiling.",
      ),
    ),
  }),
  v.title("Spend"),
  v.examples([
    {
      currency: "USD",
      period: "month",
      period_start: "2026-11-01T00:00:00.000000+00:00",
      period_end: "2026-12-01T00:00:00.000000+00:00",
      spent_usd: 31.204118,
      organization_spent_usd: 57.9,
      runs: 42,
      unpriced_runs: 0,
      is_complete: true,
      notice: null,
      project: { ceiling_usd: 50, spent_usd: 31.204118, reserved_usd: 0.42, left_usd: 18.375882, used_percent: 63 },
      organization: null,
      deployment: { used_percent: 12, is_used_up: false },
    },
  ]),
);

export const getSpend = route({
  id: "getSpend",
  method: "GET",
  path: "/evaluations/spend",
  handler: "api/runs/get-spend",
  summary: "Get judge spending",
  description:
    "Returns the cost of judging in this project and the budgets that can make its runs wait, for the current calendar month (UTC). " +
    "Budgets count from the first run under a ceiling, and may lag by a second. The `max_cost_usd` of runs is not included.",
  access: "project",
  permission: "read",
  success: 200,
  reply: monthSpend,
  grants: { spend: ["BatchGetItem"], runs: ["Query"] },
});
