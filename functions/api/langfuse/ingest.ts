import * as v from "valibot";
import { ingestLangfuse, langfuseEvent } from "../../../lib/contract/langfuse/ingestion.ts";
import { issueOf } from "../../../lib/contract/schema/issue.ts";
import { isObject } from "../../../lib/domain/json.ts";
import { langfuseScoreSource } from "../../../lib/langfuse/score-of.ts";
import { scoreImporter } from "../../../lib/handlers/scores/import-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const importScores = scoreImporter(database, environmentTraces(database), langfuseScoreSource);

const unsupportedEvent = (type: string): string =>
  `Events of the type ${type} are not taken: spans come over OpenTelemetry, at /api/public/otel/v1/traces, as Langfuse's SDKs send ` +
  "them from version 3 (Python) and 4 (JavaScript).";

const refusal = (id: string, message: string, status = 400) => ({ id, status, message, error: "Not taken" });

/** Parses an event; an invalid one becomes the error of its reply, with its id as far as it has one. */
const parsedEvent = (event: unknown) => {
  const parsed = v.safeParse(langfuseEvent, event);
  if (parsed.success) return parsed.output;
  const { field, message } = issueOf(parsed.issues[0]);
  const { id }: { readonly id?: unknown } = Object(event);
  return refusal(typeof id === "string" ? id : "unknown", `${field}: ${message}`);
};

const isScore = ({ type }: { readonly type: string }): boolean => type === "score-create";

export const handler = endpoint(
  ingestLangfuse,
  environmentGuard(database),
  async ({ body, runOnce, ...request }) =>
    await runOnce({ lease: 0 }, async () => {
      const parsed = body.batch.map(parsedEvent);
      const events = parsed.filter((event) => "type" in event);
      const invalidEvents = parsed.filter((event) => "error" in event);
      const scoreEvents = events.filter(isScore);
      const results = await importScores(
        scoreEvents.map(({ body: score = null }) => (isObject(score) ? score : {})),
        request,
      );
      const outcomes = scoreEvents.map(({ id }, at) => ({ id, outcome: results[at] }));
      const successes = outcomes.flatMap(({ id, outcome }) =>
        outcome?.kind === "stored" ? [{ id, status: 201 }] : [],
      );
      const unsupported = events
        .filter((event) => !isScore(event))
        .map(({ id, type }) => refusal(id, unsupportedEvent(type)));
      const refusals = outcomes.flatMap(({ id, outcome }) =>
        outcome?.kind === "refused" ? [refusal(id, `${outcome.field}: ${outcome.message}`, outcome.status)] : [],
      );
      return { successes, errors: [...invalidEvents, ...unsupported, ...refusals] };
    }),
);
