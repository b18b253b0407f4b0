import { updateSpan, updateTrace, createSpans, tagTraces } from "../../../lib/contract/traces/changes.ts";
import { deleteTrace, deleteTraces } from "../../../lib/contract/traces/deletion.ts";
import { deleteSession } from "../../../lib/contract/sessions/sessions.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { withIds, withSpanIds } from "../../../lib/domain/traces/input.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { spanReply, traceReply } from "../../../lib/http/traces/reply.ts";
import { tracePrices } from "../../../lib/prices/trace-prices.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { sessionRemoval } from "../../../lib/store/sessions/removal.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { traceTags } from "../../../lib/store/traces/tags.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { storeRoute, type StoreRoute } from "../store-service.ts";

/**
 * Routes that change traces and sessions, answered by the stores.
 * @param mint returns the id for a position in the request that has no id; equal for every repetition of the request.
 */
export const changeRoutes = (
  database: Database,
  project: string,
  now: () => number,
  mint: (position: string) => string,
): readonly StoreRoute[] => {
  const traces = traceStore(database, 0, now, tracePrices([]));
  const removal = traceRemoval(database, now);
  const tags = traceTags(database, now);
  const sessions = sessionRemoval(database, now);
  return [
    storeRoute(createTrace, async ({ body }) => {
      const trace = withIds(body, mint);
      await traces.save(project, trace);
      return { trace_id: trace.trace_id, task_id: "" };
    }),
    storeRoute(createSpans, async ({ params, body }) => {
      const spans = withSpanIds(body, mint);
      if (!(await traces.addSpans(project, params.trace_id, spans))) throw notFound("trace");
      return { span_ids: spans.map(({ span_id }) => span_id) };
    }),
    storeRoute(updateTrace, async ({ params, body }) => {
      const trace = await traces.change(project, params.trace_id, { kind: "trace-patch", update: body });
      if (trace === null) throw notFound("trace");
      return traceReply(project, trace);
    }),
    storeRoute(updateSpan, async ({ params: { trace_id, span_id }, body }) => {
      const trace = await traces.change(project, trace_id, { kind: "span-patch", spanId: span_id, update: body });
      const span = trace?.spans.find((each) => each.span_id === span_id);
      if (trace === null || span === undefined) throw notFound("span");
      return spanReply(trace, span);
    }),
    storeRoute(tagTraces, async ({ body }) => {
      const change = { add: body.add_tags, remove: body.remove_tags };
      let updated = 0;
      if (change.add.length + change.remove.length === 0) return { updated };
      for (const trace of new Set(body.trace_ids)) {
        const taggedTrace = await tags.check(project, trace, change);
        if (taggedTrace === null) continue;
        await tags.apply(project, taggedTrace, change);
        updated += 1;
      }
      return { updated };
    }),
    storeRoute(deleteTrace, async ({ params }) => {
      if (!(await removal.remove(project, params.trace_id))) throw notFound("trace");
    }),
    storeRoute(deleteTraces, async ({ body }) => {
      let deleted = 0;
      for (const trace of new Set(body.trace_ids)) deleted += (await removal.remove(project, trace)) ? 1 : 0;
      return { deleted };
    }),
    storeRoute(deleteSession, async ({ params }) => {
      const deleted = await sessions.remove(project, params.session_id);
      if (deleted === 0) throw notFound("session");
      return { deleted };
    }),
  ];
};
