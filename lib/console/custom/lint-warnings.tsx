import type { CustomMetricLintWarning } from "../../client/interface.ts";

/** Lint warnings of a metric with their fields. */
export const LintWarnings = ({ warnings }: { readonly warnings: readonly CustomMetricLintWarning[] }) =>
  warnings.length === 0 ? null : (
    <ul class="notes" aria-label="Warnings">
      {warnings.map(({ field, message }) => (
        <li class="remark" dir="auto">
          <span aria-hidden="true">!</span> <b>{field.join(" ").replaceAll("_", " ")}</b>: {message}
        </li>
      ))}
    </ul>
  );
