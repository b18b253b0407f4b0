import { ingestLangfuse } from "../../../lib/contract/langfuse/ingestion.ts";
import type { Json, JsonObject } from "../../../lib/domain/json.ts";
import { scoreTaker } from "../../../lib/handlers/langfuse/take-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { environmentTraces } from "../../../lib/wiring/priced-traces.ts";

const database = connect();
const take = scoreTaker(database, environmentTraces(database));

const isObject = (body: Json): body is JsonObject => typeof body === "object" && body !== null && !Array.isArray(body);

const notTaken = (type: string): string =>
  `Events of the type ${type} are not taken: spans come over OpenTelemetry, at /api/public/otel/v1/traces, as Langfuse's SDKs send ` +
  "them from version 3 (Python) and 4 (JavaScript).";

const refusal = (id: string, message: string) => ({ id, status: 400, message, error: "Not taken" });

const isScore = ({ type }: { readonly type: string }): boolean => type === "score-create";

export const handler = endpoint(
  ingestLangfuse,
  environmentGate(database),
  async ({ body, once, ...sending }) =>
    await once({ lease: 0 }, async () => {
      const sent = body.batch.filter(isScore);
      const taken = await take(
        sent.map(({ body: score = null }) => (isObject(score) ? score : {})),
        sending,
      );
      const outcomes = sent.map(({ id }, at) => ({ id, outcome: taken[at] }));
      const successes = outcomes.flatMap(({ id, outcome }) =>
        outcome?.kind === "stored" ? [{ id, status: 201 }] : [],
      );
      const others = body.batch.filter((event) => !isScore(event)).map(({ id, type }) => refusal(id, notTaken(type)));
      const refused = outcomes.flatMap(({ id, outcome }) =>
        outcome?.kind === "refused" ? [refusal(id, `${outcome.field}: ${outcome.words}`)] : [],
      );
      return { successes, errors: [...others, ...refused] };
    }),
);
