import { deleteSession } from "../../../lib/contract/sessions/sessions.ts";
import { notFound } from "../../../lib/domain/refusal.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { namedSession } from "../../../lib/http/sessions/named-session.ts";
import { environmentDeletionNotes } from "../../../lib/wiring/deletion-notes.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { sessionRemoval } from "../../../lib/store/sessions/removal.ts";

const database = connect();
const sessions = sessionRemoval(database);
const note = environmentDeletionNotes(database);

export const handler = endpoint(
  deleteSession,
  environmentGate(database),
  async ({ params, project, principal, query }) => {
    const id = namedSession(params, query);
    const deleted = await sessions.remove(project.id, id);
    if (deleted === 0) throw notFound(`Session '${id}' not found.`);
    await note({ principal, project }, { action: "session.deleted", target: id, deleted });
    return { deleted };
  },
);
