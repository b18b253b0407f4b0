import { deleteSession } from "../../../lib/contract/sessions/sessions.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionRemoval } from "../../../lib/store/sessions/removal.ts";

const database = connect();
const sessions = sessionRemoval(database);

export const handler = endpoint(deleteSession, environmentGate(database), async ({ params, project }) => {
  const deleted = await sessions.remove(project.id, params.session_id);
  if (deleted === 0) throw notFound(`Session '${params.session_id}' not found.`);
  return { deleted };
});
