import { listLabelItems } from "../../../lib/contract/labels/label-items.ts";
import { getLabelSet, listLabelSets } from "../../../lib/contract/labels/label-sets.ts";
import { getTrust } from "../../../lib/contract/labels/trust.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { labelReader } from "../../../lib/handlers/labels/read.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const labels = labelReader(database);
const guard = environmentGuard(database);

/** Answers the routes that read label sets, their items, and what a judge is worth by them. */
export const handler = sharedEndpoint(
  endpoint(listLabelSets, guard, labels.list),
  endpoint(getLabelSet, guard, labels.get),
  endpoint(listLabelItems, guard, labels.items),
  endpoint(getTrust, guard, labels.trust),
);
