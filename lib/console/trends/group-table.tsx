import type { Dimension, Group } from "./groups.ts";

/** Max rows of the table. */
const maxGroups = 6;

/** Table of a metric's scores by release, environment or judge: count, mean, p10 to p90. */
export const GroupTable = ({
  groups,
  dimension,
  hrefOf,
}: {
  readonly groups: readonly Group[];
  readonly dimension: Dimension;
  readonly hrefOf: (label: string) => string;
}) => (
  <table class="groups">
    <thead>
      <tr>
        <th scope="col">{dimension}</th>
        <th scope="col" class="number">
          n
        </th>
        <th scope="col" class="number">
          mean
        </th>
        <th scope="col">p10 to p90</th>
      </tr>
    </thead>
    <tbody>
      {groups.slice(0, maxGroups).map(({ label, count, mean, p10, p90 }) => (
        <tr key={label}>
          <th scope="row">
            <a href={hrefOf(label)} dir="auto" title={label}>
              {label}
            </a>
          </th>
          <td class="number">{count}</td>
          <td class="number">{mean.toFixed(2)}</td>
          <td>
            <span class="span-of" title={`${p10.toFixed(2)} to ${p90.toFixed(2)}`}>
              <span style={{ left: `${p10 * 100}%`, width: `${Math.max(1, (p90 - p10) * 100)}%` }} />
              <b style={{ left: `${mean * 100}%` }} />
            </span>
            <span class="unseen">
              {p10.toFixed(2)} to {p90.toFixed(2)}
            </span>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
