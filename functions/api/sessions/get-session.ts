import { getSession } from "../../../lib/contract/sessions/sessions.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { Identified } from "../../../lib/http/documents/identified.ts";
import { JsonArray } from "../../../lib/http/json-array.ts";
import { namedSession } from "../../../lib/http/sessions/named-session.ts";
import { sessionReply } from "../../../lib/http/sessions/reply.ts";
import { skeletonOf, traceReply } from "../../../lib/http/traces/reply.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionDetail } from "../../../lib/store/sessions/detail.ts";

const database = connect();
const detail = sessionDetail(database);

export const handler = endpoint(getSession, environmentGate(database), async ({ params, project, query, paging }) => {
  const { limit, offset, after } = paging;
  const id = namedSession(params, query);
  const missing = notFound(`Session '${id}' not found.`);
  const found = await detail(project.id, id, limit, offset, after);
  if (found === null) throw missing;
  const summary = sessionReply(found.session);
  const identity = [project.id, summary, found.page, limit, offset, after, query.fields];
  return new Identified(identity, async () => {
    const read = await found.read();
    if (read === null) throw missing;
    const replies = (async function* () {
      for await (const trace of read.traces) {
        const reply = traceReply(project.id, trace);
        yield query.fields === "skeleton" ? skeletonOf(reply) : reply;
      }
    })();
    const next_cursor = paging.cursorAfter(limit, read.last);
    return new JsonArray(replies, { members: { ...summary, next_cursor }, name: "traces" });
  });
});
