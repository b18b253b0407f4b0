import type { Alert } from "../../client/interface.ts";
import { AlertChanges } from "../alerts/alert-changes.tsx";
import { alertList } from "../alerts/alert-list.ts";
import { AlertStateLabel, conditionOf, LastValue } from "../alerts/alert-row.tsx";
import { RuleDetails } from "../alerts/rule-details.tsx";
import { isRule } from "../alerts/words.ts";
import { ConfirmButton, useAction } from "../parts/action.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo, useDeletion } from "../route.ts";
import { client } from "../sign-in.ts";
import { filterQuery } from "../traces/filter-query.ts";
import { useLoad } from "../use-load.ts";
import { collect } from "../use-paged-list.ts";

/** Name of an alert with its actions: a rule is edited, paused and deleted, the built-in alert of a monitor paused. */
const AlertHeading = ({ alert, onChange }: { readonly alert: Alert; readonly onChange: () => void }) => {
  const { perform, isBusy, outcome } = useAction();
  const deleteAndLeave = useDeletion();
  const { id, monitor_id: monitor, enabled } = alert;
  const path = { alert_id: id };
  const toggle = (): Promise<void> =>
    perform(async () => {
      await (monitor === null
        ? client.value.updateAlert({ path, body: { enabled: !enabled } })
        : client.value.updateMonitor({ path: { monitor_id: monitor }, body: { alert_if_stopped: !enabled } }));
      onChange();
      alertList.value?.reload();
    });
  const remove = (): Promise<void> =>
    perform(async () => {
      await deleteAndLeave(() => client.value.deleteAlert({ path }), hrefTo("alerts"));
      alertList.value?.reload();
    });
  return (
    <>
      <div class="title">
        <h1 dir="auto">{alert.name}</h1>
        <span class="buttons writes">
          {isRule(alert) && (
            <a class="button" href={hrefTo("alerts", id, { ...filterQuery(alert.filters), edit: "1" })}>
              Edit
            </a>
          )}
          <button type="button" class="quiet" disabled={isBusy} onClick={() => void toggle()}>
            {enabled ? "Pause" : "Resume"}
          </button>
          {isRule(alert) && (
            <ConfirmButton label="Delete" question="Delete the rule and its history?" onConfirm={() => void remove()} />
          )}
        </span>
      </div>
      {outcome}
    </>
  );
};

/** Maximum number of changes that the page shows. */
const maxChanges = 1_000;

/** Page of an alert rule, or of the built-in alert of a monitor: state, settings, values and the changes of its state. */
export const AlertPage = ({ id }: { readonly id: string }) => {
  const path = { alert_id: id };
  const { value, error, reload } = useLoad(
    (signal) =>
      Promise.all([
        client.value.getAlert({ path }, { signal }),
        collect(client.value.each.listAlertHistory({ path }, { signal }), maxChanges),
      ]),
    [id],
    60_000,
  );
  const [alert, changes] = value ?? [null, []];
  return (
    <main>
      <p>
        <a href={hrefTo("alerts")}>← Alerts</a>
      </p>
      <ErrorAlert error={error} reload={reload} />
      {alert === null && error === null && <LoadingNote>Loading the alert rule</LoadingNote>}
      {alert !== null && (
        <>
          <AlertHeading alert={alert} onChange={reload} />
          <p class="said">
            <AlertStateLabel alert={alert} />
            <LastValue alert={alert} />
          </p>
          <p dir="auto">
            Condition: {conditionOf(alert)}.{" "}
            {isRule(alert) ? (
              "An alert clears after two windows in a row without one."
            ) : (
              <a href={hrefTo("monitors")}>Monitors</a>
            )}
          </p>
          {alert.last_evaluation?.reason != null && (
            <p class="reason" dir="auto">
              {alert.last_evaluation.reason}
            </p>
          )}
          {isRule(alert) && <RuleDetails rule={alert} changes={changes} />}
          <h2>History</h2>
          <AlertChanges alert={alert} changes={changes} />
        </>
      )}
    </main>
  );
};
