import { tagTraces } from "../../../lib/contract/traces/changes.ts";
import { mapConcurrently } from "../../../lib/async/concurrency.ts";
import { maskerOf } from "../../../lib/domain/masking/masker.ts";
import { maskTags } from "../../../lib/domain/traces/masking/mask.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { traceTags } from "../../../lib/store/traces/tags.ts";

const database = connect();
const traces = traceTags(database);

/** Maximum number of traces read or changed concurrently. */
const parallel = 20;

export const handler = endpoint(tagTraces, environmentGuard(database), async ({ body, project }) => {
  const masker = maskerOf(project.masking);
  const masked = (tags: readonly string[]) => (masker === null ? tags : maskTags(masker, tags));
  const change = { add: masked(body.add_tags), remove: masked(body.remove_tags) };
  if (change.add.length + change.remove.length === 0) return { updated: 0 };
  const traceIds = [...new Set(body.trace_ids)];
  const checkedTraces = await mapConcurrently(traceIds, parallel, (trace) => traces.check(project.id, trace, change));
  const existingTraces = checkedTraces.filter((each) => each !== null);
  await mapConcurrently(existingTraces, parallel, (each) => traces.apply(project.id, each, change));
  return { updated: existingTraces.length };
});
