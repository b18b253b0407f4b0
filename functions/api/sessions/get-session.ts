import { getSession } from "../../../lib/contract/sessions/sessions.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { JsonArray } from "../../../lib/http/json-array.ts";
import { sessionReply } from "../../../lib/http/sessions/reply.ts";
import { skeletonOf, traceReply } from "../../../lib/http/traces/reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionDetail } from "../../../lib/store/sessions/detail.ts";

const database = connect();
const detail = sessionDetail(database);

export const handler = endpoint(getSession, environmentGate(database), async ({ params, project, query, paging }) => {
  const found = await detail(project.id, params.session_id, paging.limit, paging.offset, paging.after);
  if (found === null) throw notFound(`Session '${params.session_id}' not found.`);
  const { session, traces, last } = found;
  const replies = (async function* () {
    for await (const trace of traces) {
      const reply = traceReply(project.id, trace);
      yield query.fields === "skeleton" ? skeletonOf(reply) : reply;
    }
  })();
  const next_cursor = paging.cursorAfter(paging.limit, last);
  return new JsonArray(replies, { members: { ...sessionReply(session), next_cursor }, name: "traces" });
});
