import * as v from "valibot";
import { toDouble } from "../../domain/json.ts";
import { survivesDouble } from "../../domain/number-text.ts";
import { inapplicable } from "../../domain/scores/inapplicable.ts";
import { scoreDataTypes, scoreSources, scoreStatuses } from "../../domain/scores/score.ts";
import { scoreValueFlaw } from "../../domain/scores/value.ts";
import { replyInstant, jsonObject, oneOf, text, uuid } from "../fields.ts";
import { inJson } from "../json-schema.ts";

const mostMetadata = 65_536;
const longest = 255;

/** What people and programs say about a score beside its value. */
const metadata = v.pipe(
  jsonObject,
  v.check(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= mostMetadata,
    `Input should have at most ${mostMetadata} bytes`,
  ),
  v.description("Anything else about it, at most 64 KiB as JSON."),
  inJson({ type: "object" }),
);

/** Programs send the whole argument of a judge of their own, and drop a score that is refused. */
const reason = text(16_384);

/** A number or a boolean as text, with every digit that a double would change; anything else as it is. */
const writtenValue = (given: unknown): unknown => {
  if (JSON.isRawJSON(given)) return survivesDouble(given.rawJSON) ? String(toDouble(given)) : given.rawJSON;
  return typeof given === "number" || typeof given === "boolean" ? String(given) : given;
};

/** A score's value as it is sent; its data type says more. */
const value = v.pipe(
  v.unknown(),
  v.transform(writtenValue),
  text(longest, 1),
  inJson(
    {
      anyOf: [{ type: "string", minLength: 1, maxLength: longest }, { type: "number" }, { type: "boolean" }],
      description:
        "NUMERIC: a decimal number. BOOLEAN: true or false, in any case. CATEGORICAL: any text. A number or a boolean counts " +
        "as its text, and comes back as that.",
      examples: ["0.5", 0.5, true],
    },
    { type: "string" },
  ),
);

/** What a score rests on: beside `metadata`, which an edit replaces. */
const groundsFields = {
  judge: v.pipe(
    v.nullable(
      v.object({
        id: v.string(),
        provider: v.nullable(v.string()),
        model: v.string(),
        version: v.pipe(
          v.string(),
          v.description(
            "A fingerprint of everything but the model and the trace that the score rests on: the words of the question, how much of a trace is shown, temperature and effort, embeddings.",
          ),
        ),
      }),
    ),
    v.description(
      "Scores with the same `id` come from the same question, put to the same model. A session's metrics are arithmetic: " +
        "the provider is `assay`. Null of people and programs.",
    ),
  ),
  applicable: v.pipe(
    v.nullable(v.boolean()),
    v.description(
      "False: the metric does not apply here, the value is the one that clients expect, and no statistic counts it. " +
        "Null where judging failed, and of scores that a version before has stored, as all fields here are.",
    ),
  ),
  inapplicable_code: v.pipe(
    v.nullable(v.string()),
    v.description(
      `Why it does not apply: ${Object.entries(inapplicable)
        .map(([code, words]) => `\`${code}\` (${words})`)
        .join(", ")}. There may be more.`,
    ),
  ),
  original: v.pipe(
    v.nullable(
      v.object({
        value: v.nullable(v.string()),
        reason: v.nullable(v.string()),
        status: oneOf(scoreStatuses),
        source: oneOf(scoreSources),
        applicable: v.nullable(v.boolean()),
        judge: v.pipe(
          v.nullable(v.string()),
          v.description("Id of the judge, `<provider>/<model>#<version>`; null where it was none of the service's."),
        ),
        success: v.pipe(v.nullable(v.boolean()), v.description("As its metadata said.")),
        at: replyInstant,
      }),
    ),
    v.description("What the judge or a program had said before the score was edited for the first time, and when."),
  ),
  evidence: v.pipe(
    v.nullable(v.array(v.object({ span_id: v.nullable(uuid), quote: v.nullable(v.string()) }))),
    v.description(
      "What the judge cites, as far as it stands in the record it was shown: a quotation of at most 300 characters and the " +
        "span that has it (null: the trace's own fields), or a span alone. At most ten. Null where no record was shown.",
    ),
  ),
  evidence_dropped: v.pipe(
    v.nullable(v.pipe(v.number(), v.integer())),
    v.description("How many citations the record does not have."),
  ),
};

/** Whether a score is of what is there now. */
export const stale = v.pipe(
  v.nullable(v.boolean()),
  v.description(
    "True: what was judged has changed since, or is not there any more; changes of tags are none. It may lag by moments. Null " +
      "where it is not known what was judged, as of scores that a version before has stored, and of sessions of a list that " +
      "have more than 10,000 traces together.",
  ),
);

const { original: _original, ...previewedGrounds } = groundsFields;

/** What a judgement says that nobody has stored. */
export const previewedScoreFields = {
  ...previewedGrounds,
  value: v.pipe(v.nullable(v.string()), v.description("Null when judging failed.")),
  status: oneOf(scoreStatuses),
  reason: v.nullable(v.string()),
  metadata: jsonObject,
};

/** Fields that every reply with a score has. */
export const scoreFields = {
  ...groundsFields,
  stale,
  name: v.string(),
  value: v.pipe(v.nullable(v.string()), v.description("Null when judging failed.")),
  data_type: oneOf(scoreDataTypes),
  status: oneOf(scoreStatuses),
  source: v.pipe(
    oneOf(scoreSources),
    v.description("Who judged: the service's judge, a person, or a program outside the service."),
  ),
  reason: v.nullable(v.string()),
  metadata: jsonObject,
  eval_run_id: v.nullable(uuid),
  author_user_id: v.pipe(
    v.nullable(v.string()),
    v.description("The user who made or last edited it with a bearer token; null with an API key."),
  ),
  created_at: replyInstant,
  updated_at: replyInstant,
};

/** Fields that a score is made of. */
export const scoreInputFields = {
  name: text(1024, 1),
  value,
  data_type: v.optional(oneOf(scoreDataTypes), "NUMERIC"),
  source: v.optional(oneOf(["ANNOTATION", "PROGRAMMATIC"]), "ANNOTATION"),
  reason: v.nullish(reason),
  metadata: v.nullish(metadata),
};

interface Valued {
  readonly value: string;
  readonly data_type: (typeof scoreDataTypes)[number];
}

/** Whether a value suits its data type; what is wrong with its length is said already. */
export const suitsType = ({ data_type, value }: Valued): boolean =>
  value === "" || value.length > longest || scoreValueFlaw(data_type, value) === null;

/** Why a value does not suit its data type. */
export const unsuitable = ({ input }: { readonly input: Valued }): string =>
  scoreValueFlaw(input.data_type, input.value) ?? "";

/** What may be changed of a score. */
export const scoreEdit = v.pipe(
  v.object({ value: v.nullish(value), reason: v.nullish(reason), metadata: v.nullish(metadata) }),
  v.title("ScoreEdit"),
  v.description("Fields that are null or absent stay as they are; `metadata` is replaced whole."),
  v.examples([{ value: "0.9", reason: "The refund was right." }]),
);

/** What lists are narrowed by, and what their totals tell. */
export const listDescription =
  "Newest first unless `sort_by=value`, which orders numbers and has all others last. What a parameter names must match exactly. The total of all scores, and by metric or run with status, source and type, may " +
  "lag by seconds; a page that ends the list tells it exactly. Else what matches is counted: what would take too long is refused.";

/** What editing does, whatever is sent. */
export const editDescription =
  "The score becomes a SUCCESS and an ANNOTATION of the editor's, updated now, even when nothing is sent; with a value it " +
  "applies. What a judge or a program had said stays in `original`. Nothing else of it can be changed, and no evaluation " +
  "changes it afterwards.";
