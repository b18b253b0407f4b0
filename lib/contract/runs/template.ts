import * as v from "valibot";
import type { TraceFilters } from "../../domain/traces/filter.ts";
import { once, text } from "../fields.ts";
import { route } from "../route.ts";
import { traceFilterFields } from "../traces/filters.ts";

/** The name of a trace metric. Whether it exists is checked against the catalogue. */
export const metricName = v.pipe(
  text(255),
  v.description("A name from the list of metrics for traces."),
  v.examples(["task_completion"]),
);

/** Every filter, none of them set. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys are those of the fields, as their type says.
export const unsetFilters = Object.fromEntries(
  Object.keys(traceFilterFields).map((filter) => [filter, null]),
) as Record<keyof TraceFilters, null>;

/** How a score follows from what a judge answers. */
export const rubricReply = v.object({
  levels: v.array(v.object({ name: v.string(), meaning: v.string(), value: v.number() })),
  statements: v.pipe(
    v.array(v.object({ name: v.string(), text: v.string(), yes: v.string(), no: v.string() })),
    v.description("What the judge answers with yes, no or that it cannot tell, and what the answers mean."),
  ),
  rule: v.pipe(
    v.array(
      v.object({
        level: v.string(),
        answers: v.pipe(v.record(v.string(), v.string()), v.description("By the name of a statement: yes or no.")),
        least: v.pipe(v.number(), v.description("How many of the answers have to be given.")),
      }),
    ),
    v.description("The first line that holds gives the level."),
  ),
  otherwise: v.pipe(v.string(), v.description("The level where no line holds.")),
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
        v.description("What the judge is asked, in order, with placeholders for a trace; empty when none is asked."),
      ),
      rubric: v.pipe(
        v.nullable(rubricReply),
        v.description("How a score follows from what the judge answers; null when none is asked."),
      ),
    }),
    // With the types of filters that are set: what is only ever null has no type in most languages.
    filters: v.pipe(
      v.required(v.object(traceFilterFields)),
      v.description("Every filter, none of them set: each is null."),
    ),
    sampling_rate: v.number(),
    model: v.pipe(v.string(), v.description("The judge of a run that names none.")),
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
  summary: "Read what a run with a metric would ask, as a form to fill in",
  access: "project",
  permission: "read",
  query: v.object({ metric: once(metricName) }),
  success: 200,
  reply: runTemplate,
  grants: { monitors: ["GetItem", "BatchGetItem", "Query"] },
});

/** The same at the address that other interfaces of this kind have. */
export const getRunTemplateShort = route({
  ...getRunTemplate,
  id: "getRunTemplateShort",
  path: "/trace-runs/template",
  deprecated: `the same as \`${getRunTemplate.path}\`, which is the one to call; it stays.`,
});
