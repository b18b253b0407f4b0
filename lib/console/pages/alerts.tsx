import { useShortcuts } from "../shortcuts.ts";
import { alertList, raisedOf } from "../alerts/alert-list.ts";
import { AlertRow } from "../alerts/alert-row.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { ListActions } from "../parts/list-actions.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { navigate, hrefTo } from "../route.ts";
import { plural } from "../format.ts";

/** Page with the project's alert rules, those in ALERT first. */
export const AlertsPage = () => {
  useShortcuts({ n: [() => navigate(hrefTo("new-alert")), "new alert rule", true] });
  const { value, error, reload } = alertList.value ?? { value: null, error: null, reload: () => {} };
  const raised = new Set(raisedOf(value ?? []));
  const rules = [...raised, ...(value ?? []).filter((rule) => !raised.has(rule))];
  return (
    <main>
      <h1 class="unseen">Alerts</h1>
      <ListActions
        count={
          value !== null && (
            <b>
              {plural(rules.length, "alert rule")}, {raised.size} in alert
            </b>
          )
        }
      >
        <a class="button main writes" href={hrefTo("new-alert")}>
          New rule
        </a>
      </ListActions>
      <ErrorAlert error={error} reload={reload} />
      {value === null && error === null && <LoadingNote>Loading the alert rules</LoadingNote>}
      {value?.length === 0 && (
        <div class="empty">
          <p>No alert rules yet: a rule raises an alert when scores, failures, latency or cost get worse.</p>
          <a class="button writes" href={hrefTo("new-alert")}>
            Add a rule
          </a>
        </div>
      )}
      {rules.map((rule) => (
        <AlertRow key={rule.id} alert={rule} />
      ))}
    </main>
  );
};
