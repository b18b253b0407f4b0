import { defineRubricMetric } from "../../judge/rubric/rubric-metric.ts";
import { traceCatalogue } from "./catalogue.ts";
import { planExtraction, withoutPlan } from "./plan-extraction.ts";
import { scale5 } from "./scale5.ts";
import { harnessCallsExempt } from "./tool-calls.ts";

const instructions = `Hold the steps of the record against the plan. Whether the plan was good is not asked. A departure that the record makes necessary (a failure, a new wish of the user) is none. ${harnessCallsExempt}`;

/** Metric of plan adherence: extracts the plan, then asks one question if there is a plan. */
export const planAdherence = defineRubricMetric({
  name: "plan_adherence",
  ...traceCatalogue.plan_adherence,
  needs: [planExtraction],
  inapplicable: withoutPlan,
  question: "did the execution follow the plan in the notes?",
  instructions,
  criterion: `did the execution follow the plan that the record states? ${instructions}`,
  notes: { schemas: {}, explained: {} },
  rubric: {
    levels: scale5(
      ["followed", "every step was done, in order, and nothing was added"],
      ["mostly_followed", "a small departure in order, completeness or extras"],
      ["partly_followed", "a substantial part was done as planned and a substantial part was not"],
      ["barely_followed", "only the beginning or a marginal part was done as planned"],
      ["ignored", "what was done has nothing to do with the plan"],
    ),
    statements: [
      {
        name: "begun",
        text: "A step of the plan was carried out.",
        yes: "one at least was",
        no: "no step of it was",
      },
      {
        name: "half",
        text: "At least half of the steps were carried out.",
        yes: "half of them or more were",
        no: "it was the beginning or a marginal part",
      },
      {
        name: "essential",
        text: "Every step on which the result depends was carried out.",
        yes: "what was left out changes little",
        no: "a substantial step was left out or replaced",
      },
      {
        name: "exact",
        text: "The execution matches the plan step for step.",
        yes: "all steps were done, in order, and nothing was added",
        no: "a step was left out, added or done out of order",
      },
    ],
    rule: [
      { level: "ignored", answers: { begun: "no" } },
      { level: "barely_followed", answers: { half: "no" } },
      { level: "partly_followed", answers: { essential: "no" } },
      { level: "mostly_followed", answers: { exact: "no" } },
    ],
    otherwise: "followed",
  },
  example: {
    record:
      'Plan: "Read the file", "Count its lines", "Report the count". The agent lists the folder (#1), reads (#2), counts (#3) and reports.',
    notes: {},
    statements: {
      begun: [["#2"], "The file was read.", "yes"],
      half: [["#2", "#3"], "All three steps were done.", "yes"],
      essential: [["It has 214 lines."], "The count was reported.", "yes"],
      exact: [["#1"], "Listing the folder was not planned.", "no"],
    },
  },
  details: (_, { extractedAnswer: extracted }) => {
    const { task, plan } = extracted(planExtraction);
    return { task, plan };
  },
});
