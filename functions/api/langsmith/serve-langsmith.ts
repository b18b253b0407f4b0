import { createLangsmithFeedback, updateLangsmithFeedback } from "../../../lib/contract/langsmith/feedback.ts";
import {
  createLangsmithRun,
  ingestLangsmithBatch,
  ingestLangsmithRuns,
  type LangsmithBatch,
  updateLangsmithRun,
} from "../../../lib/contract/langsmith/runs.ts";
import { listLangsmithSessions } from "../../../lib/contract/langsmith/service.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { abbreviate } from "../../../lib/domain/text.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { batchImporter, type SentBatch } from "../../../lib/handlers/langsmith/import-batch.ts";
import { sessionsNamed } from "../../../lib/handlers/langsmith/find-sessions.ts";
import { feedbackUpdater } from "../../../lib/handlers/langsmith/update-feedback.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import type { Exchange, TelemetryCaller } from "../../../lib/http/exchange.ts";
import { langsmithFormat } from "../../../lib/http/langsmith/wire-format.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { environmentTelemetryGuard } from "../../../lib/wiring/access-guards.ts";
import { traceStarts } from "../../../lib/wiring/environment.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const guard = environmentTelemetryGuard(database);
const importBatch = batchImporter(database, environmentTraces(database), traceStarts());
const updateFeedback = feedbackUpdater(database);

type Request = TelemetryCaller & Pick<Exchange, "idFor" | "runOnce" | "warn">;

const receipt = { message: "Accepted" };

/** Stores a batch, once per `Idempotency-Key`. */
const importOnce = <Answer>({ runOnce, ...request }: Request, batch: SentBatch, answer: Answer) =>
  runOnce({ lease: 0 }, async () => {
    await importBatch(batch, request);
    return answer;
  });

const ingestBatch = ({ body, ...request }: Request & { readonly body: LangsmithBatch }) => {
  const { post, patch, feedback, ...otherFields } = body;
  for (const name of Object.keys(otherFields))
    request.warn(`The field "${abbreviate(name, 60)}" is not read: a batch has post, patch and feedback.`);
  if ([post, patch, feedback].every((list) => list === undefined || list === null))
    throw invalid(["body"], "Nothing is read: a batch has post, patch or feedback");
  return importOnce(request, { post, patch, feedback }, receipt);
};

/** Answers all routes of LangSmith's SDKs, so that one warm function answers a program's requests. */
export const handler = sharedEndpoint(
  endpoint(ingestLangsmithRuns, guard, ingestBatch, langsmithFormat),
  endpoint(ingestLangsmithBatch, guard, ingestBatch, langsmithFormat),
  endpoint(
    createLangsmithRun,
    guard,
    ({ body, ...request }) => importOnce(request, { post: [body], isSingle: true }, receipt),
    langsmithFormat,
  ),
  endpoint(
    updateLangsmithRun,
    guard,
    async ({ body, params, ...request }) => {
      const { id } = body;
      if (id !== undefined && id !== params.run_id)
        request.warn("The id in the body is not read: the path has the id.");
      await importBatch({ patch: [{ ...body, id: params.run_id }], isSingle: true }, request);
      return receipt;
    },
    langsmithFormat,
  ),
  endpoint(
    createLangsmithFeedback,
    guard,
    async ({ body, ...request }) => {
      const id = body.id ?? request.idFor("feedback");
      return importOnce(request, { feedback: [{ ...body, id }], isSingle: true }, { id });
    },
    langsmithFormat,
  ),
  endpoint(
    updateLangsmithFeedback,
    guard,
    async ({ body, params, ...request }) => {
      await updateFeedback(params.feedback_id, body, request);
      return { id: params.feedback_id };
    },
    langsmithFormat,
  ),
  endpoint(
    listLangsmithSessions,
    guard,
    async ({ query, ...request }) => await sessionsNamed(query.name ?? "", request),
    langsmithFormat,
  ),
);
