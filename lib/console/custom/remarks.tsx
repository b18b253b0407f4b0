import type { CustomMetricRemark } from "../../client/interface.ts";

/** What a linter says of a metric, each with its field. */
export const Remarks = ({ of }: { readonly of: readonly CustomMetricRemark[] }) =>
  of.length === 0 ? null : (
    <ul class="notes" aria-label="Remarks">
      {of.map(({ field, message }) => (
        <li class="remark" dir="auto">
          <span aria-hidden="true">!</span> <b>{field.join(" ").replaceAll("_", " ")}</b>: {message}
        </li>
      ))}
    </ul>
  );
