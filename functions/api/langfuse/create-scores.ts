import { createLangfuseScores } from "../../../lib/contract/langfuse/scores.ts";
import type { JsonObject } from "../../../lib/domain/json.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { scoreTaker } from "../../../lib/handlers/langfuse/take-scores.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { environmentTraces } from "../../../lib/wiring/priced-traces.ts";

const database = connect();
const take = scoreTaker(database, environmentTraces(database));

const isList = (body: JsonObject | readonly JsonObject[]): body is readonly JsonObject[] => Array.isArray(body);

export const handler = endpoint(
  createLangfuseScores,
  environmentGate(database),
  async ({ body, once, ...sending }) =>
    await once({ lease: 0 }, async () => {
      const taken = await take(isList(body) ? body : [body], sending);
      const refused = taken.filter((each) => each.kind === "refused");
      const [first] = taken;
      if (!isList(body) && first !== undefined) {
        if (first.kind === "refused") throw invalid(["body", first.field], first.words);
        return { id: first.id };
      }
      if (refused.length === 0) return { message: "Accepted" as const };
      const errors = refused.map(({ field, words }) => ({ message: `${field}: ${words}` }));
      return { accepted: taken.length - refused.length, rejected: refused.length, errors };
    }),
);
