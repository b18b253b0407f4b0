import { createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { userOf } from "../../../lib/domain/access/principal.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { submittedScore } from "../../../lib/domain/scores/submitted-score.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { withState } from "../../../lib/store/traces/large-documents.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";
import { marked, scoreMarks } from "../../../lib/store/scores/stale/marked.ts";

const database = connect();
const marks = scoreMarks(database, traceScores);
const [scores, traces] = [scoreCreation(database), traceReader(database)];

const hasSpan = (project: string, trace: string, span: string): Promise<boolean> =>
  withState(traces, project, trace, async (state) => {
    if (state.kind !== "stored") throw notFound(`Trace ${trace} not found.`);
    return state.trace.spans.some(({ span_id: id }) => id === span);
  });

export const handler = endpoint(
  createTraceScore,
  environmentGate(database),
  async ({ body, mint, principal, project, repeat }) => {
    const made = { id: mint("score"), projectId: project.id, author: userOf(principal), at: instantAt(Date.now()) };
    const score = {
      ...submittedScore(body, made),
      trace_id: body.trace_id,
      config_id: null,
      span_id: body.span_id ?? null,
    };
    if (body.span_id != null && !(await hasSpan(project.id, body.trace_id, body.span_id)))
      throw notFound(`Span ${body.span_id} not found in trace ${body.trace_id}.`);
    const stored = await scores.ofTrace(score, repeat);
    if (stored === null) throw notFound(`Trace ${body.trace_id} not found.`);
    return marked(stored, await marks.one(project.id, stored));
  },
);
