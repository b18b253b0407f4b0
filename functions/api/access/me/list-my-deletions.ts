import { listMyDeletions } from "../../../../lib/contract/access/deletions.ts";
import { deletionReply } from "../../../../lib/http/access/deletion-reply.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { deletionStore } from "../../../../lib/store/deletion/deletions.ts";

const database = connect();
const deletions = deletionStore(database);

export const handler = endpoint(listMyDeletions, environmentUserGuard(database), async ({ paging, user }) => {
  const page = await deletions.ofUser(user.userId, paging);
  return paging.page(page.items.map(deletionReply), page.total, page.last);
});
