import type { Alert } from "../../client/interface.ts";
import { Chart } from "../parts/chart.tsx";
import { valueText, type Unit } from "./words.ts";

/** A window's value beside what it is compared with, each null without data, and the rule's state after it. */
interface WindowValue {
  /** End of the window, ISO 8601. */
  readonly window_end: string;
  readonly value: number | null;
  readonly reference: number | null;
  readonly state: Alert["state"];
}

/** Chart of a signal with the threshold or the compared values as a dashed line, and marks at the windows in alert. */
export const ValueChart = ({
  points,
  unit,
  referenceTitle,
  label,
}: {
  /** Windows, oldest first. */
  readonly points: readonly WindowValue[];
  readonly unit: Unit;
  /** Name of what the values are compared with. */
  readonly referenceTitle: string;
  readonly label: string;
}) => {
  if (points.length === 0) return null;
  const ends = points.map(({ window_end: end }) => Date.parse(end));
  const gaps = ends.flatMap((end, at) => end - (ends[at - 1] ?? end) || []);
  const step = gaps.length === 0 ? 3_600_000 : Math.min(...gaps);
  const format = (value: number): string => valueText(unit, value);
  return (
    <Chart
      title="Each window"
      description={label}
      class="signal"
      times={ends.map((end) => end - step)}
      step={step}
      namedBy="until"
      points={points}
      // Scores are drawn in their own range, amounts from zero.
      range={unit === "score" ? null : [0, 0]}
      series={[
        { title: "value", kind: "line", tone: "link", format, valueOf: ({ value }) => value },
        { title: referenceTitle, kind: "dashed", tone: "fair", format, valueOf: ({ reference }) => reference },
        {
          title: "alert",
          kind: "points",
          tone: "bad",
          format,
          valueOf: ({ state, value, reference }) => (state === "ALERT" ? (value ?? reference ?? 0) : null),
        },
        { title: "state", kind: null, tone: "bar", format, valueOf: ({ state }) => state.toLowerCase() },
      ]}
    />
  );
};
