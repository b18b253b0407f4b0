import { nonBlankText, type ExportedFields } from "./fields.ts";

/** Type of an exported metric. */
export interface MetricType {
  /** Type as exported; null if the export names none. */
  readonly label: string | null;
  /** Type in lower case, without punctuation, a leading `not-` and a final `metric`; empty if the export names none. */
  readonly key: string;
  /** True if the metric holds where its type does not. */
  readonly isNegated: boolean;
}

const typeKeys = ["type", "metric_type", "builtin_scorer_class", "class", "class_name", "evaluator_type"] as const;

const keyOf = (label: string): string =>
  label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/gu, "")
    .replace(/metric$/u, "");

/** Reads the type of a metric. */
export const metricType = (fields: ExportedFields): MetricType => {
  const label = fields.first(typeKeys, nonBlankText)?.slice(0, 100) ?? null;
  const isNegated = label?.startsWith("not-") === true;
  return { label, key: keyOf(isNegated ? label.slice(4) : (label ?? "")), isNegated };
};

/** Types whose `value` is a criterion for a judge, with the question that it completes. */
const criterionTypes: Readonly<Record<string, string>> = {
  llmrubric: "",
  agentrubric: "",
  geval: "",
  conversationalgeval: "",
  modelgradedclosedqa: "",
  pi: "",
  trajectorygoalsuccess: "Did the agent reach this goal?\n\n",
};

/** Returns the words before the criterion in the field `value`; null if the type has no criterion there. */
export const criterionLead = (key: string): string | null =>
  Object.hasOwn(criterionTypes, key) ? (criterionTypes[key] ?? null) : null;

/** Types that cannot be imported, with the reason as a clause. */
const refusals: readonly (readonly [reason: string, keys: string])[] = [
  [
    "it is code, which is not run here: describe what it looks for in words, or as conditions of a check",
    "javascript python ruby webhook code function codeeval endpoint",
  ],
  [
    "it counts edits, and a condition takes their share in the length: create one of similarity_at_least",
    "levenshtein levenshteindistance",
  ],
  [
    "it compares the output with an expected text as no condition does: equals, contains, json_equals and similarity_at_least are " +
      "conditions that name expected_output, and a judge can be shown it",
    "similar similarcosine similardot similareuclidean rougen rouge rougescore bleu bleuscore gleu meteor " +
      "chrfscore fscore bertscore exactmatch factuality modelgradedfactuality jsondiff " +
      "jsonmatch embeddingsimilarity semanticsimilarity answersimilarity stringdistance stringpresent " +
      "jsondistance numericdiff nonllmstringsimilarity factualcorrectness answercorrectness correctness contextrecall " +
      "toolcallf1 toolcallaccuracy trajectorytoolargsmatch trajectorymatch equivalence",
  ],
  [
    "it chooses between several outputs, and a trace has one",
    "battle selectbest maxscore ranking pairwise pairwisecomparison arenageval",
  ],
  ["it combines other metrics: import each of them", "multi dag ensemble"],
  [
    "it asks a person or another service than a judge model",
    "human classifier moderation guardrails guardrail searchrubric",
  ],
  [
    'its prompt is in the other tool; the gallery has "answer_relevance"',
    "answerrelevance answerrelevancy responserelevancy",
  ],
  ['its prompt is in the other tool; the gallery has "faithfulness"', "contextfaithfulness faithfulness hallucination"],
  ['its prompt is in the other tool; the gallery has "refusal"', "isrefusal refusal"],
];

/** Returns why metrics of a type, or of the name of one, cannot be imported, as a clause; null if nothing is known. */
export const importRefusal = (type: string): string | null => {
  const key = keyOf(type.slice(0, 100));
  return refusals.find(([, keys]) => keys.split(" ").includes(key))?.[0] ?? null;
};
