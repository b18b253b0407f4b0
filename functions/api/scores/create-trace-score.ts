import { createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { userIdOf } from "../../../lib/domain/access/principal.ts";
import { notFound, type Refusal } from "../../../lib/domain/refusal.ts";
import { submittedScore } from "../../../lib/domain/scores/submitted-score.ts";
import { traceDeleted } from "../../../lib/domain/traces/deleted-trace.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { withTraceState } from "../../../lib/store/traces/large-documents.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { withStaleness, stalenessReader } from "../../../lib/store/scores/stale/with-staleness.ts";

const database = connect();
const staleness = stalenessReader(database, traceScoreKind);
const [scores, traces] = [scoreCreation(database), traceReader(database)];

/** Returns the refusal of a score whose trace does not exist, or was deleted in the last 24 hours. */
const missing = async (project: string, trace: string): Promise<Refusal> =>
  (await traces.rejectsTelemetry(project, trace)) ? traceDeleted() : notFound(`Trace ${trace} not found.`);

const hasSpan = (project: string, trace: string, span: string): Promise<boolean> =>
  withTraceState(traces, project, trace, async (state) => {
    if (state.kind !== "stored") throw await missing(project, trace);
    return state.trace.spans.some(({ span_id: id }) => id === span);
  });

export const handler = endpoint(
  createTraceScore,
  environmentGuard(database),
  async ({ body, idFor, principal, project, idempotency }) => {
    const origin = {
      id: idFor("score"),
      projectId: project.id,
      author: userIdOf(principal),
      at: instantAt(Date.now()),
    };
    const score = {
      ...submittedScore(body, origin),
      trace_id: body.trace_id,
      config_id: null,
      span_id: body.span_id ?? null,
    };
    if (body.span_id != null && !(await hasSpan(project.id, body.trace_id, body.span_id)))
      throw notFound(`Span ${body.span_id} not found in trace ${body.trace_id}.`);
    const storedScore = await scores.ofTrace(score, idempotency);
    if (storedScore === null) throw await missing(project.id, body.trace_id);
    return withStaleness(storedScore, await staleness.one(project.id, storedScore));
  },
);
