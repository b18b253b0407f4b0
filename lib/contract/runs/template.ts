import * as v from "valibot";
import { once, text } from "../fields.ts";
import { route } from "../route.ts";

/** The name of a trace metric. Whether it exists is checked against the catalogue. */
export const metricName = v.pipe(
  text(255),
  v.description("A name from the list of metrics for traces."),
  v.examples(["task_completion"]),
);

const unset = v.null();

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
    }),
    filters: v.pipe(
      v.object({
        date_from: unset,
        date_to: unset,
        status: unset,
        session_id: unset,
        user_id: unset,
        tags: unset,
        name: unset,
      }),
      v.description("Every filter, none of them set."),
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
      },
      filters: {
        date_from: null,
        date_to: null,
        status: null,
        session_id: null,
        user_id: null,
        tags: null,
        name: null,
      },
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
  query: v.object({ metric: once(metricName) }),
  success: 200,
  reply: runTemplate,
  grants: {},
});

/** The same at the address that other interfaces of this kind have. */
export const getRunTemplateShort = route({
  ...getRunTemplate,
  id: "getRunTemplateShort",
  path: "/trace-runs/template",
});
