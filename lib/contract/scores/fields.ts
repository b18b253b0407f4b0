import * as v from "valibot";
import { toDouble, fitsDouble } from "../../domain/json.ts";
import { inapplicable } from "../../domain/scores/inapplicable.ts";
import { type ScoreDataType, scoreDataTypes, scoreSources, scoreStatuses } from "../../domain/scores/score.ts";
import { scoreValueFlaw } from "../../domain/scores/value.ts";
import { replyInstant, jsonObject, oneOf, text, uuid } from "../schema/fields.ts";
import { describedAs } from "../schema/json-schema.ts";

const maxMetadataBytes = 65_536;
const maxValueLength = 255;

/** Schema of a score's free-form metadata. */
const metadata = v.pipe(
  jsonObject,
  v.check(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= maxMetadataBytes,
    `Input should have at most ${maxMetadataBytes} bytes`,
  ),
  v.description("Free-form data about the score, at most 64 KiB as JSON."),
  describedAs({ type: "object" }),
);

/** Schema of a score's reason. The limit is high because programs send complete judge outputs and drop a refused score. */
const reason = text(16_384);

/** Converts numbers and booleans to text, keeping digits that a double would lose; returns other values unchanged. */
const valueToText = (input: unknown): unknown => {
  if (JSON.isRawJSON(input)) return fitsDouble(input.rawJSON) ? String(toDouble(input)) : input.rawJSON;
  return typeof input === "number" || typeof input === "boolean" ? String(input) : input;
};

/** Schema of a score's value in requests; the data type restricts it further. */
export const sentScoreValue = v.pipe(
  v.unknown(),
  v.transform(valueToText),
  text(maxValueLength, 1),
  describedAs(
    {
      anyOf: [{ type: "string", minLength: 1, maxLength: maxValueLength }, { type: "number" }, { type: "boolean" }],
      description:
        "Score value: a decimal number for NUMERIC, true or false (case-insensitive) for BOOLEAN, any text for CATEGORICAL; JSON " +
        "numbers and booleans are stored and returned as text.",
      examples: ["0.5", 0.5, true],
    },
    { type: "string" },
  ),
);

/**
 * Fields of a score's provenance: judge, applicability, original value and evidence. Edits replace `metadata`, but not
 * these fields.
 */
const provenanceFields = {
  judge: v.pipe(
    v.nullable(
      v.object({
        id: v.string(),
        provider: v.nullable(v.string()),
        model: v.pipe(v.string(), v.description("Model, or with two judges `<first model>><second judge>`.")),
        version: v.pipe(
          v.string(),
          v.description(
            "Fingerprint of the judge's configuration without the model: question text, transcript limits, temperature, effort and embeddings.",
          ),
        ),
      }),
    ),
    v.description(
      "Judge of the score; scores with the same `id` come from the same question to the same model. Session metrics are computed, " +
        "with the provider `assay`. Null for scores by people and programs.",
    ),
  ),
  applicable: v.pipe(
    v.nullable(v.boolean()),
    v.description(
      "False if the metric is not applicable; the score then has a conventional value that no statistic counts. Null if judging " +
        "failed, and for scores that were stored before this field existed.",
    ),
  ),
  inapplicable_code: v.pipe(
    v.nullable(v.string()),
    v.description(
      `Reason why the metric is not applicable: ${Object.entries(inapplicable)
        .map(([code, words]) => `\`${code}\` (${words})`)
        .join(", ")}. Other codes may be added.`,
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
          v.description("Id of the judge, `<provider>/<model>#<version>`; null for scores by people and programs."),
        ),
        success: v.pipe(v.nullable(v.boolean()), v.description("Value of `success` in the original metadata.")),
        metadata: v.pipe(
          v.nullable(jsonObject),
          v.description("Metadata before the edit; null for scores that were edited before this field existed."),
        ),
        at: replyInstant,
      }),
    ),
    v.description(
      "Judgement of the judge or program before the first edit, and its time; null if the score was not edited or was created by a person. " +
        "Of a score that a client sent again with its id, what was stored before.",
    ),
  ),
  evidence: v.pipe(
    v.nullable(v.array(v.object({ span_id: v.nullable(uuid), quote: v.nullable(v.string()) }))),
    v.description(
      "Up to ten citations of the judge that were verified in its input: a quote of at most 300 characters with its span (null for " +
        "the trace's own fields), or a span alone. Null if the judge saw no record.",
    ),
  ),
  evidence_dropped: v.pipe(
    v.nullable(v.pipe(v.number(), v.integer())),
    v.description("Number of citations that were removed because the judge's input does not contain them."),
  ),
};

/** Schema of `stale`, which tells if a score's target has changed since it was judged. */
export const stale = v.pipe(
  v.nullable(v.boolean()),
  v.description(
    "True if the target was changed (tags excepted) or deleted after it was judged; may lag by moments. Null if the judged version " +
      "is unknown, as for scores stored before this field existed, and in lists whose sessions have more than 10,000 traces in total.",
  ),
);

const scoreMetadata = v.pipe(
  jsonObject,
  v.description(
    "What the creator of the score sent, or for a score of the service's judge how it came about: `model`, `level`, `threshold`, " +
      "`success`, `coverage`, `attempts`, `tokens`, `cost_usd`, and where judging failed a `code`. A decision model also gives " +
      "`probabilities` by statement, of which 0.5 and more is a yes; `confidence`, the probability of `level` with the statements " +
      "taken as independent; `expected_value`, the mean of the levels' values by their probabilities; and `evidence_kind: none`, since it " +
      "quotes nothing. `shared_call` has the id of the call that judged several metrics, and the number of the metric's questions; the " +
      "first score of a call has its whole cost. `first_verdict` is that of the first of two judges. " +
      "`escalation` says why the first verdict counts though it was uncertain: `unfunded`, no ceiling had money for the second judge, or `failed`, " +
      "it gave no verdict, with its code in `escalation_code`.",
  ),
);

const { original: _original, ...previewProvenanceFields } = provenanceFields;

/** Fields of a score in the preview of a metric, which is not stored. */
export const previewScoreFields = {
  ...previewProvenanceFields,
  value: v.pipe(v.nullable(v.string()), v.description("Score value as text; null if judging failed.")),
  status: oneOf(scoreStatuses),
  reason: v.nullable(v.string()),
  metadata: scoreMetadata,
};

/** Fields that every reply with a score has. */
export const scoreFields = {
  external_id: v.pipe(
    v.nullable(v.string()),
    v.description(
      "Id that a client of another product gave the score, if it is no UUID: `id` is the UUID (version 5) that it names in the namespace of " +
        "the project's id, or one of an earlier release.",
    ),
  ),
  ...provenanceFields,
  stale,
  name: v.string(),
  value: v.pipe(v.nullable(v.string()), v.description("Score value as text; null if judging failed.")),
  data_type: oneOf(scoreDataTypes),
  status: oneOf(scoreStatuses),
  source: v.pipe(
    oneOf(scoreSources),
    v.description("Origin of the score: the service's judge, a person, or an external program."),
  ),
  reason: v.nullable(v.string()),
  metadata: scoreMetadata,
  eval_run_id: v.nullable(uuid),
  author_user_id: v.pipe(
    v.nullable(v.string()),
    v.description("User who created or last edited the score with a bearer token; null with an API key."),
  ),
  created_at: replyInstant,
  updated_at: replyInstant,
};

/** Fields of a request that creates a score. */
export const scoreInputFields = {
  name: text(1024, 1),
  value: sentScoreValue,
  data_type: v.optional(
    v.pipe(
      oneOf(scoreDataTypes),
      v.description("Data type of `value`; if absent, BOOLEAN for true and false and NUMERIC for anything else."),
    ),
  ),
  source: v.optional(oneOf(["ANNOTATION", "PROGRAMMATIC"]), "ANNOTATION"),
  reason: v.nullish(reason),
  metadata: v.nullish(metadata),
};

interface TypedValue {
  readonly value: string;
  readonly data_type?: ScoreDataType | undefined;
}

/** Returns the data type of a value; without `data_type` that of a boolean or a number. */
const dataTypeOf = ({ value, data_type }: TypedValue): ScoreDataType =>
  data_type ?? (/^(?:true|false)$/iu.test(value) ? "BOOLEAN" : "NUMERIC");

/** Adds the data type to a score that was sent without one. */
export const withDataType = <Input extends TypedValue>(input: Input) => ({ ...input, data_type: dataTypeOf(input) });

/** True if a value matches its data type; also true for a value of invalid length, which another check reports. */
export const matchesDataType = (input: TypedValue): boolean =>
  input.value === "" || input.value.length > maxValueLength || scoreValueFlaw(dataTypeOf(input), input.value) === null;

/** Returns the validation message of a value that does not match its data type. */
export const dataTypeError = ({ input }: { readonly input: TypedValue }): string =>
  scoreValueFlaw(dataTypeOf(input), input.value) ?? "";

/** Schema of changes to a score. */
export const scoreEdit = v.pipe(
  v.object({ value: v.nullish(sentScoreValue), reason: v.nullish(reason), metadata: v.nullish(metadata) }),
  v.title("ScoreEdit"),
  v.description("Changes to a score; null and absent fields keep their values, and `metadata` is replaced as a whole."),
  v.examples([{ value: "0.9", reason: "The refund was right." }]),
);
