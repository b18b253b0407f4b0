import { tagTraces } from "../../../lib/contract/traces/changes.ts";
import { sideBySide } from "../../../lib/async/side-by-side.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { connect } from "../../../lib/store/database.ts";
import { traceTags } from "../../../lib/store/traces/tags.ts";

const database = connect();
const traces = traceTags(database);

/** Traces looked at or changed at a time. */
const parallel = 20;

export const handler = endpoint(tagTraces, environmentGate(database), async ({ body, project }) => {
  const change = { add: body.add_tags, remove: body.remove_tags };
  if (change.add.length + change.remove.length === 0) return { updated: 0 };
  const traceIds = [...new Set(body.trace_ids)];
  const looked = await sideBySide(traceIds, parallel, (trace) => traces.check(project.id, trace, change));
  const found = looked.filter((each) => each !== null);
  await sideBySide(found, parallel, (each) => traces.apply(project.id, each, change));
  return { updated: found.length };
});
