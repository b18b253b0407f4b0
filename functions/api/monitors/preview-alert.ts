import { maxPreviewReads, previewAlert } from "../../../lib/contract/monitors/alert-preview.ts";
import { evaluateWindows } from "../../../lib/domain/alerts/evaluate-windows.ts";
import { previewEnds, previewRanges } from "../../../lib/domain/alerts/preview.ts";
import { isCategorySignal } from "../../../lib/domain/alerts/rule.ts";
import { firstState } from "../../../lib/domain/alerts/state.ts";
import { observationCount, noSums } from "../../../lib/domain/alerts/sums.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { alertPreviewReply, alertSettings } from "../../../lib/http/monitors/alerts.ts";
import { pastWindows } from "../../../lib/store/alerts/past-windows.ts";
import { valueCheck } from "../../../lib/store/scores/units/types.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const [readWindows, checkValues] = [pastWindows(database, maxPreviewReads), valueCheck(database)];

export const handler = endpoint(previewAlert, environmentGuard(database), async ({ body, project, warn }) => {
  const { date_from: from = null, date_to: to = null, ...input } = body;
  const settings = alertSettings(input, project.metadata_keys);
  await checkValues(project.id, settings.metric_name, warn, isCategorySignal(settings.signal));
  const ends = previewEnds(settings, { from, to }, Date.now());
  const windows = await readWindows(project.id, settings, previewRanges(settings, ends));
  const steps = evaluateWindows(settings, firstState, ends, (end) => windows.get(end) ?? noSums);
  const observations = [...windows.values()].reduce((sum, window) => sum + observationCount(window), 0);
  return alertPreviewReply(settings, steps, observations);
});
