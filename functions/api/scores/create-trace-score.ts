import { createTraceScore, putTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { notFound, type Refusal } from "../../../lib/domain/refusal.ts";
import type { SubmittedScore } from "../../../lib/domain/scores/submitted-score.ts";
import { traceDeleted } from "../../../lib/domain/traces/deleted-trace.ts";
import { scoreStorage } from "../../../lib/handlers/scores/store-score.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { withTraceState } from "../../../lib/store/traces/large-documents.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";

const database = connect();
const guard = environmentGuard(database);
const [scores, traces] = [scoreCreation(database), traceReader(database)];

type SentTraceScore = SubmittedScore & { readonly trace_id: string; readonly span_id?: string | null | undefined };

/** Returns the refusal of a score whose trace does not exist, or was deleted in the last 24 hours. */
const missing = async (project: string, trace: string): Promise<Refusal> =>
  (await traces.rejection(project, trace)) !== "nothing" ? traceDeleted() : notFound(`Trace ${trace} not found.`);

const hasSpan = (project: string, trace: string, span: string): Promise<boolean> =>
  withTraceState(traces, project, trace, async (state) => {
    if (state.kind !== "stored") throw await missing(project, trace);
    return state.trace.spans.some(({ span_id: id }) => id === span);
  });

const storage = scoreStorage(database, traceScoreKind, {
  create: async (score, { trace_id, span_id }: SentTraceScore, check) => {
    if (span_id != null && !(await hasSpan(score.project_id, trace_id, span_id)))
      throw notFound(`Span ${span_id} not found in trace ${trace_id}.`);
    const target = { trace_id, config_id: null, span_id: span_id ?? null };
    const storedScore = await scores.ofTrace({ ...score, ...target }, check);
    if (storedScore === null) throw await missing(score.project_id, trace_id);
    return storedScore;
  },
  isOfTarget: (stored, { trace_id, span_id }) => stored.trace_id === trace_id && stored.span_id === (span_id ?? null),
});

export const handler = sharedEndpoint(
  endpoint(createTraceScore, guard, storage.create),
  endpoint(putTraceScore, guard, storage.put),
);
