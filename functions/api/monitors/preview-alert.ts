import { array, parse } from "valibot";
import { alertReceiver, maxPreviewReads, previewAlert } from "../../../lib/contract/monitors/alert-preview.ts";
import { evaluateWindows } from "../../../lib/domain/alerts/evaluate-windows.ts";
import { previewEnds, previewRanges } from "../../../lib/domain/alerts/preview.ts";
import { firstState } from "../../../lib/domain/alerts/state.ts";
import { observationCount, noSums } from "../../../lib/domain/alerts/sums.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { alertNotes } from "../../../lib/http/monitors/alert-notes.ts";
import { alertPreviewReply, alertSettings } from "../../../lib/http/monitors/alerts.ts";
import { pastWindows } from "../../../lib/store/alerts/past-windows.ts";
import { variables } from "../../../lib/wiring/environment.ts";
import { jsonSetting } from "../../../lib/wiring/json-setting.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const database = connect();
const [readWindows, notesOf] = [pastWindows(database, maxPreviewReads), alertNotes(database)];
const receivers = parse(array(alertReceiver), jsonSetting(variables.alertReceivers) ?? []);

export const handler = endpoint(previewAlert, environmentGuard(database), async ({ body, project, warn }) => {
  const { date_from: from = null, date_to: to = null, ...input } = body;
  const settings = alertSettings(input, project.metadata_keys);
  const notes = await notesOf(project.id, settings, warn);
  const ends = previewEnds(settings, { from, to }, Date.now());
  const windows = await readWindows(project.id, settings, previewRanges(settings, ends));
  const steps = evaluateWindows(settings, firstState, ends, (end) => windows.get(end) ?? noSums);
  const observations = [...windows.values()].reduce((sum, window) => sum + observationCount(window), 0);
  return alertPreviewReply(settings, steps, observations, notes, receivers);
});
