import { deleteMe } from "../../../../lib/contract/access/me.ts";
import { stillLeaving, stillOwner } from "../../../../lib/domain/access/membership.ts";
import { endpoint } from "../../../../lib/http/endpoint.ts";
import { environmentUserGate } from "../../../../lib/wiring/gates.ts";
import { connect } from "../../../../lib/store/database.ts";
import { departures } from "../../../../lib/store/access/departure.ts";

const database = connect();
const remove = departures(database);

/** Of the gateway's 29 s: what is begun then may take 12. */
const leavingMilliseconds = 15_000;

export const handler = endpoint(deleteMe, environmentUserGate(database), async ({ user }) => {
  const outcome = await remove(user.userId, Date.now() + leavingMilliseconds);
  if (outcome === "owner") throw stillOwner();
  if (outcome === "unfinished") throw stillLeaving();
});
