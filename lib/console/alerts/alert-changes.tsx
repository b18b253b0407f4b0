import type { Alert, AlertChange } from "../../client/interface.ts";
import { isScoreSignal } from "../../domain/alerts/rule.ts";
import { count } from "../format.ts";
import { LocalTime } from "../parts/labels.tsx";
import { hrefTo } from "../route.ts";
import { DataTable, type TableColumn } from "../parts/wide-table.tsx";
import { scoreQuery, traceQuery } from "./links.ts";
import { baselineNames, intervalName, intervalText, isRule, valueText, valueUnit, type RuleAlert } from "./words.ts";

const transitions = {
  raised: ["▲", "raised", "bad"],
  cleared: ["✓", "cleared", "good"],
  reminded: ["▲", "still in alert", "bad"],
} as const;

/** Links to the traces, and for signals of scores to the scores, of the window that decided. */
const Decisive = ({ rule, change }: { readonly rule: RuleAlert; readonly change: AlertChange }) => {
  const scores = scoreQuery(rule, change);
  return (
    <>
      <a href={hrefTo("traces", null, traceQuery(rule, change))}>Traces</a>
      {scores !== null && (
        <>
          {" "}
          <a href={hrefTo("scores", null, scores)}>Scores</a>
        </>
      )}
    </>
  );
};

type Column = TableColumn<AlertChange>;

const Transition = ({ transition }: AlertChange) => {
  const [sign, word, tone] = transitions[transition];
  return (
    <span class={tone}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
};

const why: Column["1"] = ({ reason }) => <span dir="auto">{reason}</span>;

const columnsOf = (alert: Alert): readonly Column[] => {
  const observations: Column["1"] = (change) => count(change.count);
  if (!isRule(alert))
    return [
      ["Scored", ({ value }) => valueText("share", value)],
      ["Judgements", observations],
      ["Why", why],
    ];
  const unit = valueUnit(alert.signal);
  return [
    ["What decided", (change) => (change.reason === null ? <Decisive rule={alert} change={change} /> : why(change))],
    ["Value", ({ value }) => valueText(unit, value)],
    [baselineNames[alert.compare_with], ({ reference }) => valueText(unit, reference)],
    [intervalName(alert), ({ interval }) => intervalText(alert, interval)],
    [isScoreSignal(alert.signal) ? "Scores" : "Traces", observations],
  ];
};

/** Table of the changes of an alert's state, newest first, with the numbers that decided. */
export const AlertChanges = ({
  alert,
  changes,
}: {
  readonly alert: Alert;
  readonly changes: readonly AlertChange[];
}) => {
  if (changes.length === 0) return <p class="faint">No alert yet.</p>;
  return (
    <DataTable
      label="Changes of the alert"
      rows={changes}
      columns={[
        [isRule(alert) ? "Window until" : "Run ended", ({ window_end: end }) => <LocalTime at={end} />],
        ["Change", Transition],
        ...columnsOf(alert),
      ]}
    />
  );
};
