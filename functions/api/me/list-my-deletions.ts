import { listMyDeletions } from "../../../lib/contract/deletions.ts";
import { deletionReply } from "../../../lib/http/deletion-reply.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../lib/http/environment-gate.ts";
import { connect } from "../../../lib/store/database.ts";
import { deletionStore } from "../../../lib/store/deletions.ts";

const database = connect();
const deletions = deletionStore(database);

export const handler = endpoint(listMyDeletions, environmentUserGate(database), async ({ query, user }) => {
  const page = await deletions.ofUser(user.userId, query.limit, query.offset);
  return { ...page, items: page.items.map(deletionReply) };
});
