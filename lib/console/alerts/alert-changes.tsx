import type { ComponentChildren } from "preact";
import type { Alert, AlertChange } from "../../client/interface.ts";
import { isScoreSignal } from "../../domain/alerts/rule.ts";
import { count } from "../format.ts";
import { LocalTime } from "../parts/labels.tsx";
import { hrefTo } from "../route.ts";
import { WideTable } from "../parts/wide-table.tsx";
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

type Column = readonly [title: string, cell: (change: AlertChange) => ComponentChildren];

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
  const columns = columnsOf(alert);
  return (
    <WideTable label="Changes of the alert">
      <thead>
        <tr>
          {[isRule(alert) ? "Window until" : "Run ended", "Change", ...columns.map(([title]) => title)].map((title) => (
            <th scope="col" key={title}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => {
          const { transition, window_end: end } = change;
          const [sign, word, tone] = transitions[transition];
          return (
            <tr key={`${end} ${transition}`}>
              <td>
                <LocalTime at={end} />
              </td>
              <td class={tone}>
                <span aria-hidden="true">{sign}</span> {word}
              </td>
              {columns.map(([title, cell]) => (
                <td key={title}>{cell(change)}</td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </WideTable>
  );
};
