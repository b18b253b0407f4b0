import { deleteSession } from "../../../lib/contract/sessions/sessions.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { sessionIdOf } from "../../../lib/http/sessions/session-id.ts";
import { environmentDeletionNotes } from "../../../lib/wiring/deletion-notes.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { sessionRemoval } from "../../../lib/store/sessions/removal.ts";

const database = connect();
const sessions = sessionRemoval(database);
const auditDeletion = environmentDeletionNotes(database);

export const handler = endpoint(
  deleteSession,
  environmentGuard(database),
  async ({ params, project, principal, query }) => {
    const id = sessionIdOf(params, query);
    const deleted = await sessions.remove(project.id, id);
    if (deleted === 0) throw notFound(`Session '${id}' not found.`);
    await auditDeletion({ principal, project }, { action: "session.deleted", target: id, deleted });
    return { deleted };
  },
);
