import { deleteMe } from "../../../../lib/contract/access/me.ts";
import { removalInProgress, ownerRemovalRefusal } from "../../../../lib/domain/access/membership.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGuard } from "../../../../lib/wiring/access-guards.ts";
import { connect } from "../../../../lib/dynamo/database.ts";
import { userRemoval } from "../../../../lib/store/access/user-removal.ts";

const database = connect();
const remove = userRemoval(database);

/** Time in which new steps of the deletion are started; the last step may take 12 s of API Gateway's 29 s. */
const leavingMilliseconds = 15_000;

export const handler = endpoint(deleteMe, environmentUserGuard(database), async ({ user }) => {
  const outcome = await remove(user.userId, Date.now() + leavingMilliseconds);
  if (outcome === "owner") throw ownerRemovalRefusal();
  if (outcome === "unfinished") throw removalInProgress();
});
