import * as v from "valibot";
import type { SearchedTraceFilters } from "../../domain/traces/filter.ts";
import { singleValue, text } from "../schema/fields.ts";
import { route } from "../route.ts";
import { searchedFilterFields } from "../traces/filters.ts";

/** Schema of the name of a trace metric. The handler checks that the metric exists. */
export const metricName = v.pipe(
  text(255),
  v.description("Name of a trace metric, from the list of trace metrics."),
  v.examples(["task_completion"]),
);

/** All trace filters with the value null, for the run template. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the fields, as their type says.
export const unsetFilters = Object.fromEntries(
  Object.keys(searchedFilterFields).map((filter) => [filter, null]),
) as Record<keyof SearchedTraceFilters, null>;

/** Schema of a metric's rubric: the mapping from the judge's answers to a score. */
export const rubricReply = v.object({
  levels: v.array(v.object({ name: v.string(), meaning: v.string(), value: v.number() })),
  statements: v.pipe(
    v.array(v.object({ name: v.string(), text: v.string(), yes: v.string(), no: v.string() })),
    v.description("Statements that the judge answers with yes, no or cannot_tell, with the meaning of the answers."),
  ),
  rule: v.pipe(
    v.array(
      v.object({
        level: v.string(),
        answers: v.pipe(
          v.record(v.string(), v.string()),
          v.description("Required answers, yes or no, by statement name."),
        ),
        least: v.pipe(v.number(), v.description("Minimum number of answers that must match.")),
      }),
    ),
    v.description("Lines from answers to a level; the first line that matches gives the level."),
  ),
  otherwise: v.pipe(v.string(), v.description("Level if no line of the rule matches.")),
});

const runTemplate = v.pipe(
  v.object({
    metric: v.object({
      name: v.string(),
      description: v.string(),
      category: v.string(),
      default_threshold: v.number(),
      prompt_preview: v.pipe(
        v.array(v.object({ stage: v.string(), prompt: v.string() })),
        v.description(
          "Prompts to the judge in order, with placeholders for the trace; empty for metrics without a judge.",
        ),
      ),
      rubric: v.pipe(
        v.nullable(rubricReply),
        v.description("Mapping from the judge's answers to a score; null for metrics without a judge."),
      ),
    }),
    // The filters keep their types, because a field that is always null has no useful type in generated clients.
    filters: v.pipe(v.required(v.object(searchedFilterFields)), v.description("All trace filters, each null.")),
    sampling_rate: v.number(),
    model: v.pipe(v.string(), v.description("Default judge model of runs.")),
  }),
  v.title("EvalRunTemplate"),
  v.examples([
    {
      metric: {
        name: "coherence",
        description: "Evaluates whether the output of the agent follows from its input.",
        category: "trace",
        default_threshold: 0.5,
        prompt_preview: [],
        rubric: null,
      },
      filters: unsetFilters,
      sampling_rate: 1,
      model: "openai/gpt-5.4-mini",
    },
  ]),
);

export const getRunTemplate = route({
  id: "getRunTemplate",
  method: "GET",
  path: "/evaluations/trace-runs/template",
  handler: "api/runs/get-run-template",
  summary: "Get a run template",
  description:
    "Returns a template for the request that creates a run with this metric, with the prompts and the rubric of the metric.",
  access: "project",
  permission: "read",
  query: v.object({ metric: singleValue(metricName) }),
  success: 200,
  reply: runTemplate,
  grants: { monitors: ["GetItem", "BatchGetItem", "Query"] },
});

/** Deprecated alias of `getRunTemplate` at a shorter path. */
export const getRunTemplateShort = route({
  ...getRunTemplate,
  id: "getRunTemplateShort",
  answeredBy: getRunTemplate.id,
  path: "/trace-runs/template",
  deprecated: `use \`${getRunTemplate.path}\`, of which this is a permanent alias.`,
});
