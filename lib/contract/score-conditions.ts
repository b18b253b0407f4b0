import * as v from "valibot";
import { scoreConditionForm } from "../domain/score-condition.ts";
import { listOf, text } from "./fields.ts";
import { inJson } from "./json-schema.ts";

/** Conditions, and names, that one request may have. */
const most = 10;

/** Characters of a condition: those of the longest name and of the longest value. */
const longest = 1300;

const words =
  "`<name><operator><value>` with `<`, `<=`, `>`, `>=`, `=` or `!=`, such as `task_completion<0.5` or `helpful=true`: what the " +
  "newest successful score of that name has to meet. Numbers are compared as numbers, anything else is equal or not; what has no " +
  "such score, or one that does not apply, meets nothing.";

/** A condition on the newest score of a name, whose characters are none of `<`, `>`, `=` and `!`. */
export const scoreCondition = v.pipe(
  text(longest),
  v.regex(
    new RegExp(scoreConditionForm, "u"),
    "Input should be a name, an operator (<, <=, >, >=, =, !=) and a value, as in task_completion<0.5",
  ),
  inJson({
    type: "string",
    maxLength: longest,
    pattern: scoreConditionForm,
    description: words,
    examples: ["task_completion<0.5"],
  }),
);

const name = v.pipe(text(1024, 1), v.description("A name of which there is no successful score."));

/** Conditions on scores, as bodies and queries have them: all of them hold. */
export const scoreConditions = v.pipe(listOf(scoreCondition, most), v.description(`All of them hold. ${words}`));

/** Names of scores that are not there. */
export const missingScores = v.pipe(
  listOf(name, most),
  v.description("Of each of these names there is no score that succeeded."),
);
