import { noDataTitles, windowTitles, type AlertRule } from "./words.ts";

/** Settings of a rule beside its condition. */
export const AlertFacts = ({ rule }: { readonly rule: AlertRule }) => (
  <p class="facts">
    <span>severity {rule.severity}</span>
    {Object.entries(rule.filters).map(([name, value]) => (
      <span class="tag" dir="auto">
        {name.replaceAll("_", " ")} {typeof value === "string" ? value : JSON.stringify(value)}
      </span>
    ))}
    <span>at least {rule.minimum_count} in a window</span>
    <span>{rule.significance ? "only significant changes" : "also insignificant changes"}</span>
    <span>too little data means {noDataTitles[rule.no_data]}</span>
    {rule.repeat_every !== null && <span>reminds every {windowTitles[rule.repeat_every]}</span>}
  </p>
);

/** Advice of the service about a rule. */
export const AlertWarnings = ({ warnings }: { readonly warnings: readonly string[] }) =>
  warnings.length === 0 ? null : (
    <ul class="notes" aria-label="Warnings">
      {warnings.map((warning) => (
        <li class="remark" dir="auto">
          <span aria-hidden="true">!</span> <span class="unseen">Warning:</span> {warning}
        </li>
      ))}
    </ul>
  );
