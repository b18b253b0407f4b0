import { createSessionScore, putSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import type { SubmittedScore } from "../../../lib/domain/scores/submitted-score.ts";
import { scoreStorage } from "../../../lib/handlers/scores/store-score.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { sessionScoreKind } from "../../../lib/store/scores/kind.ts";

const database = connect();
const guard = environmentGuard(database);
const scores = scoreCreation(database);

const storage = scoreStorage(database, sessionScoreKind, {
  create: async (score, { session_id }: { readonly session_id: string } & SubmittedScore, check) => {
    const storedScore = await scores.ofSession({ ...score, session_id }, check);
    if (storedScore === null) throw notFound(`Session '${session_id}' not found.`);
    return storedScore;
  },
  isOfTarget: (stored, { session_id }) => stored.session_id === session_id,
});

export const handler = sharedEndpoint(
  endpoint(createSessionScore, guard, storage.create),
  endpoint(putSessionScore, guard, storage.put),
);
