import { createLangfuseScores, isScoreObject } from "../../../lib/contract/langfuse/scores.ts";
import type { JsonObject } from "../../../lib/domain/json.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { langfuseScoreSource } from "../../../lib/langfuse/score-of.ts";
import { scoreImporter } from "../../../lib/handlers/scores/import-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { environmentTraces } from "../../../lib/wiring/trace-prices.ts";

const database = connect();
const importScores = scoreImporter(database, environmentTraces(database), langfuseScoreSource);

const isList = (body: JsonObject | readonly unknown[]): body is readonly unknown[] => Array.isArray(body);

export const handler = endpoint(
  createLangfuseScores,
  environmentGuard(database),
  async ({ body, runOnce, ...request }) =>
    await runOnce({ lease: 0 }, async () => {
      const scores = isList(body) ? body : [body];
      const outcomes = await importScores(
        scores.map((score) => (isScoreObject(score) ? score : {})),
        request,
      );
      const refusals = outcomes.filter((each) => each.kind === "refused");
      const [first] = outcomes;
      if (!isList(body) && first !== undefined) {
        if (first.kind === "refused") throw invalid(["body", first.field], first.message, first.type);
        return { id: first.id };
      }
      if (refusals.length === 0) return { message: "Accepted" as const };
      const errors = refusals.map(({ field, message }) => ({ message: `${field}: ${message}` }));
      return { accepted: outcomes.length - refusals.length, rejected: refusals.length, errors };
    }),
);
