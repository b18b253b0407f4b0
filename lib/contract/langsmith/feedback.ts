import * as v from "valibot";
import { externalId, json, jsonObject, text, uuid } from "../schema/fields.ts";
import { route } from "../route.ts";
import { ingestLangsmithRuns, sharedProperties } from "./runs.ts";

const id = v.nullish(externalId);

/** Schema of the fields of a feedback that can change. */
export const langsmithFeedbackUpdate = v.object({
  score: v.nullish(json),
  value: v.nullish(json),
  comment: v.nullish(v.string()),
  correction: v.nullish(json),
  feedback_source: v.nullish(jsonObject),
  extra: v.nullish(json),
});

/** Schema of a feedback as LangSmith's SDKs send it. */
export const langsmithFeedback = v.object({
  id,
  run_id: id,
  trace_id: id,
  session_id: v.nullish(uuid),
  key: text(1024, 1),
  ...langsmithFeedbackUpdate.entries,
});

const langsmithFeedbackReceipt = v.pipe(v.object({ id: v.string() }), v.title("LangsmithFeedbackReceipt"));

export const createLangsmithFeedback = route({
  ...sharedProperties(),
  permission: "write",
  id: "createLangsmithFeedback",
  answeredBy: ingestLangsmithRuns.id,
  method: "POST",
  path: "/langsmith/feedback",
  summary: "Create feedback from LangSmith's SDKs",
  description:
    "Stores a score named `key` of the trace `trace_id`, and of its span `run_id` unless that is the root; without `trace_id` the run is a " +
    "root. A number or boolean in `score`, else `value` is the score's value, and `comment` its reason; a comment alone is refused. The source is " +
    "PROGRAMMATIC; with a bearer token a `feedback_source` of the type `app` makes it ANNOTATION. A repeated `id` is stored once; with another value, comment or metadata it replaces them, and `original` has the value before.",
  body: v.pipe(
    v.looseObject(langsmithFeedback.entries),
    v.title("LangsmithFeedback"),
    v.examples([
      {
        id: "0193e3f2-7a30-7000-8000-89abcdef0123",
        run_id: "0193e3f2-5b1c-7000-8000-0123456789ab",
        trace_id: "0193e3f2-5b1c-7000-8000-0123456789ab",
        key: "helpful",
        score: 1,
        comment: "The customer said so.",
      },
    ]),
  ),
  success: 200,
  idempotency: "replay-by-header",
  reply: langsmithFeedbackReceipt,
});

export const updateLangsmithFeedback = route({
  ...sharedProperties(),
  permission: "write",
  id: "updateLangsmithFeedback",
  answeredBy: ingestLangsmithRuns.id,
  method: "PATCH",
  path: "/langsmith/feedback/{feedback_id}",
  summary: "Update feedback from LangSmith's SDKs",
  description:
    "Changes the fields that are sent of a feedback in the project of the request, else in any project of the API key: `score`, or `value` " +
    "without it, is the new value, `comment` the new reason, and the rest is added to the metadata; `original` has what was stored before. " +
    "The score is PROGRAMMATIC then, unless a bearer token is used.",
  params: v.object({ feedback_id: externalId }),
  body: v.pipe(
    v.looseObject(langsmithFeedbackUpdate.entries),
    v.title("LangsmithFeedbackUpdate"),
    v.examples([{ score: 0, comment: "The refund never came." }]),
  ),
  success: 200,
  reply: langsmithFeedbackReceipt,
});
