import { putLabels, takeNextLabelItem, uploadLabels } from "../../../lib/contract/labels/label-items.ts";
import { closeLabelSet, createLabelSet, deleteLabelSet } from "../../../lib/contract/labels/label-sets.ts";
import { computeTrust } from "../../../lib/contract/labels/trust.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { labelSetClosing } from "../../../lib/handlers/labels/close.ts";
import { labelSetCreation } from "../../../lib/handlers/labels/create.ts";
import { labelQueue } from "../../../lib/handlers/labels/queue.ts";
import { trustComputation } from "../../../lib/handlers/labels/trust.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { sharedEndpoint } from "../../../lib/http/shared-endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const [queue, sets] = [labelQueue(database), labelSetClosing(database)];
const guard = environmentGuard(database);

/** Answers the routes that write label sets, and the queue of the people who label. */
export const handler = sharedEndpoint(
  endpoint(createLabelSet, guard, labelSetCreation(database)),
  endpoint(deleteLabelSet, guard, sets.remove),
  endpoint(closeLabelSet, guard, sets.close),
  endpoint(takeNextLabelItem, guard, queue.next),
  endpoint(putLabels, guard, queue.put),
  endpoint(uploadLabels, guard, queue.upload),
  endpoint(computeTrust, guard, trustComputation(database)),
);
