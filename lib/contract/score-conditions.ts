import * as v from "valibot";
import { scoreConditionPattern } from "../domain/score-condition.ts";
import { listOf, text } from "./schema/fields.ts";
import { describedAs } from "./schema/json-schema.ts";

/** Maximum number of `score` conditions, and of `no_score` names, in one request. */
const maxItems = 10;

/** Maximum characters of a score condition: the longest name (1,024), all escaped, plus the longest value (255), rounded up. */
const maxConditionLength = 2400;

const conditionDescription =
  "A condition on the newest successful score of a name, as `<name><operator><value>` with `<`, `<=`, `>`, `>=`, `=` or `!=`, for " +
  "example `task_completion<0.5` or `helpful=true`. NUMERIC and BOOLEAN scores (true is 1, false 0) are compared as numbers; categories support only `=` and `!=`. " +
  "Items without an applicable score of that name do not match. `name@2` matches only if version 2 of the custom metric gave the score. " +
  "A `<`, `>`, `=`, `!`, `@` or backslash of the name itself has a backslash before it: `a\\=b<0.5` for the name `a=b`; the value has none.";

/** Schema of a condition on the newest score of a name. */
export const scoreCondition = v.pipe(
  text(maxConditionLength),
  v.regex(
    new RegExp(scoreConditionPattern, "u"),
    "Input should be a name, an operator (<, <=, >, >=, =, !=) and a value, as in task_completion<0.5; an operator in the name has a backslash before it",
  ),
  describedAs({
    type: "string",
    maxLength: maxConditionLength,
    pattern: scoreConditionPattern,
    description: conditionDescription,
    examples: ["task_completion<0.5"],
  }),
);

const name = v.pipe(text(1024, 1), v.description("Name of a score that matching items do not have, without escapes."));

/** Schema of the `score` filter of bodies and queries: conditions that must all hold. */
export const scoreConditions = v.pipe(
  listOf(scoreCondition, maxItems),
  v.description(`Score conditions that must all hold. ${conditionDescription}`),
);

/** Schema of the `no_score` filter: names of scores that matching items do not have. */
export const missingScores = v.pipe(
  listOf(name, maxItems),
  v.description("Matches items without a successful score of any of these names."),
);
