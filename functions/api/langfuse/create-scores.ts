import { createLangfuseDatasetRunItem } from "../../../lib/contract/langfuse/datasets.ts";
import { createLangfuseScores, isScoreObject } from "../../../lib/contract/langfuse/scores.ts";
import type { JsonObject } from "../../../lib/domain/json.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { langfuseScoreSource } from "../../../lib/langfuse/score-of.ts";
import { traceLinker } from "../../../lib/handlers/langfuse/link-trace.ts";
import { scoreImporter } from "../../../lib/handlers/scores/import-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const [guard, traces] = [environmentGuard(database), environmentTraces(database)];
const importScores = scoreImporter(database, traces, langfuseScoreSource);
const linkTrace = traceLinker(database, traces);

const isList = (body: JsonObject | readonly unknown[]): body is readonly unknown[] => Array.isArray(body);

const scores = endpoint(
  createLangfuseScores,
  guard,
  async ({ body, runOnce, ...request }) =>
    await runOnce({ lease: 0 }, async () => {
      const scores = isList(body) ? body : [body];
      const outcomes = await importScores(
        scores.map((score) => (isScoreObject(score) ? score : {})),
        request,
      );
      const [first] = outcomes;
      if (!isList(body) && first !== undefined) {
        if (first.kind === "refused") throw invalid(["body", first.field], first.message, first.type);
        return { id: first.id };
      }
      const errors = outcomes.flatMap((each, index) =>
        each.kind === "refused" ? [{ index, message: `${each.field}: ${each.message}` }] : [],
      );
      if (errors.length === 0) return { message: "Accepted" as const };
      return { accepted: outcomes.length - errors.length, rejected: errors.length, errors };
    }),
);

/** Answers the routes by which Langfuse's SDKs send scores, and links of traces to items of datasets. */
export const handler = sharedEndpoint(
  scores,
  endpoint(createLangfuseDatasetRunItem, guard, (request) => request.runOnce({ lease: 0 }, () => linkTrace(request))),
);
