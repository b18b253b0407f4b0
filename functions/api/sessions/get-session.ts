import { getSession } from "../../../lib/contract/sessions/sessions.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { WithETag } from "../../../lib/http/answers.ts";
import { JsonArray } from "../../../lib/http/json-array.ts";
import { sessionIdOf } from "../../../lib/http/sessions/session-id.ts";
import { sessionReply } from "../../../lib/http/sessions/reply.ts";
import { traceSkeleton, traceReply } from "../../../lib/http/traces/reply.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { sessionDetail } from "../../../lib/store/sessions/detail.ts";

const database = connect();
const detail = sessionDetail(database);

export const handler = endpoint(getSession, environmentGuard(database), async ({ params, project, query, paging }) => {
  const { limit, offset, after } = paging;
  const id = sessionIdOf(params, query);
  const missing = notFound(`Session '${id}' not found.`);
  const storedDetail = await detail(project.id, id, limit, offset, after);
  if (storedDetail === null) throw missing;
  const { sharedTraces } = storedDetail;
  const shared = sharedTraces.length > 0 ? { shared_traces: sharedTraces } : {};
  const summary = { ...sessionReply(storedDetail.session), ...shared };
  const identity = [project.id, summary, storedDetail.page, limit, offset, after, query.fields];
  return new WithETag(identity, async () => {
    const tracePage = await storedDetail.read();
    if (tracePage === null) throw missing;
    const replies = (async function* () {
      for await (const trace of tracePage.traces) {
        const reply = traceReply(project.id, trace);
        yield query.fields === "skeleton" ? traceSkeleton(reply) : reply;
      }
    })();
    const next_cursor = paging.cursorAfter(limit, tracePage.last);
    return new JsonArray(replies, { members: { ...summary, next_cursor }, name: "traces" });
  });
});
