import type { Alert } from "../../client/interface.ts";
import { LocalTime, StatusLabel } from "../parts/labels.tsx";
import { hrefTo } from "../route.ts";
import { conditionText, isRule, valueText, valueUnit } from "./words.ts";

const referenceWords = { threshold: "threshold", previous_window: "before", last_week: "last week" } as const;

/** Value of the last window beside the threshold, or beside the value that it is compared with. */
export const LastValue = ({ alert }: { readonly alert: Alert }) => {
  const { last_evaluation: last } = alert;
  if (last === null) return <span class="faint">no {isRule(alert) ? "window" : "run"} yet</span>;
  const unit = isRule(alert) ? valueUnit(alert.signal) : "share";
  return (
    <span>
      <b class="value">{valueText(unit, last.value)}</b>{" "}
      <span class="faint">
        {isRule(alert)
          ? `${referenceWords[alert.compare_with]} ${valueText(unit, last.reference)}`
          : "of judgements scored"}
      </span>
    </span>
  );
};

/** State of a rule as sign and word, and since when it has it. */
export const AlertStateLabel = ({ alert: { enabled, state, state_since: since } }: { readonly alert: Alert }) => (
  <span>
    <StatusLabel status={enabled ? state : "PAUSED"} />
    {enabled && since !== null && (
      <span class="faint">
        {" "}
        since <LocalTime at={since} />
      </span>
    )}
  </span>
);

/** Condition of a rule, or of the built-in alert of a monitor. */
export const conditionOf = (alert: Alert): string =>
  isRule(alert)
    ? conditionText(alert)
    : "a run of the monitor has targets and scores none of them, waits for its judge or a ceiling, or cannot start";

/** An alert in the list: name, condition, state, and the last value beside the threshold. */
export const AlertRow = ({ alert }: { readonly alert: Alert }) => (
  <article class={alert.enabled && alert.state === "ALERT" ? "verdict alert-row bad" : "verdict alert-row"}>
    <h2 dir="auto">
      <a href={hrefTo("alerts", alert.id)}>{alert.name}</a>
    </h2>
    <AlertStateLabel alert={alert} />
    <LastValue alert={alert} />
    <p class="faint" dir="auto">
      {conditionOf(alert)}
    </p>
  </article>
);
