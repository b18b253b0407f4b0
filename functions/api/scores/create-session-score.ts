import { createSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { userOf } from "../../../lib/domain/access/principal.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { submittedScore } from "../../../lib/domain/scores/submitted-score.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { sessionScores } from "../../../lib/store/scores/kind.ts";
import { marked, scoreMarks } from "../../../lib/store/scores/stale/marked.ts";

const database = connect();
const scores = scoreCreation(database);
const marks = scoreMarks(database, sessionScores);

export const handler = endpoint(
  createSessionScore,
  environmentGate(database),
  async ({ body, mint, principal, project, repeat }) => {
    const made = { id: mint("score"), projectId: project.id, author: userOf(principal), at: instantAt(Date.now()) };
    const score = { ...submittedScore(body, made), session_id: body.session_id };
    const stored = await scores.ofSession(score, repeat);
    if (stored === null) throw notFound(`Session '${body.session_id}' not found.`);
    return marked(stored, await marks.one(project.id, stored));
  },
);
