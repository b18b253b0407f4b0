import type { Alert } from "../../client/interface.ts";
import { shortTime } from "../format.ts";
import { LocalTime, StatusLabel } from "../parts/labels.tsx";
import { WideTable } from "../parts/wide-table.tsx";
import { valueText, type Unit } from "./words.ts";

/** A window's value beside what it is compared with, each null without data, and the rule's state after it. */
interface ChartPoint {
  /** End of the window, ISO 8601. */
  readonly window_end: string;
  readonly value: number | null;
  readonly reference: number | null;
  readonly state: Alert["state"];
}

interface ChartProps {
  /** Windows, oldest first. */
  readonly points: readonly ChartPoint[];
  readonly unit: Unit;
  /** Name of what the values are compared with. */
  readonly referenceTitle: string;
}

/** Size of the drawing in its own units. */
const [width, height] = [640, 120];

/** Max rows of the table: the newest windows. */
const maxRows = 200;

type Place = readonly [x: number, y: number];

/** Line over places, interrupted where there is none; a single place is drawn as a short dash. */
const Line = ({ name, places }: { readonly name: string; readonly places: readonly (Place | null)[] }) => {
  const lines: Place[][] = [[]];
  for (const place of places)
    if (place === null) lines.push([]);
    else lines.at(-1)?.push(place);
  return lines.map((line) => {
    const [first] = line;
    if (first === undefined) return null;
    const dash: readonly Place[] = [
      [first[0] - 3, first[1]],
      [first[0] + 3, first[1]],
    ];
    return (
      <polyline class={name} points={(line.length === 1 ? dash : line).map((place) => place.join(",")).join(" ")} />
    );
  });
};

const ValueTable = ({ points, unit, referenceTitle }: ChartProps) => (
  <details>
    <summary>Values as a table</summary>
    <WideTable label="Each window">
      <thead>
        <tr>
          {["Window until", "Value", referenceTitle, "State"].map((title) => (
            <th scope="col">{title}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {points
          .slice(-maxRows)
          .toReversed()
          .map(({ window_end: end, value, reference, state }) => (
            <tr key={end}>
              <td>
                <LocalTime at={end} />
              </td>
              <td>{valueText(unit, value)}</td>
              <td>{valueText(unit, reference)}</td>
              <td>
                <StatusLabel status={state} />
              </td>
            </tr>
          ))}
      </tbody>
    </WideTable>
    {points.length > maxRows && <p class="faint">The newest {maxRows} windows.</p>}
  </details>
);

/** Sparkline of a signal with the threshold or the compared values as a dashed line and the beginnings of alerts, and the same as a table. */
export const ValueChart = ({ label, ...props }: ChartProps & { readonly label: string }) => {
  const { points, unit, referenceTitle } = props;
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const values = points.flatMap(({ value, reference }) => [value, reference]).filter((value) => value !== null);
  // Scores are drawn in their own range, amounts from zero.
  const low = Math.min(...(unit === "score" && values.length > 0 ? [] : [0]), ...values);
  const high = Math.max(low, ...values);
  const [from, until] = [Date.parse(first.window_end), Date.parse(last.window_end)];
  const x = (end: string): number => 8 + ((Date.parse(end) - from) / Math.max(1, until - from)) * (width - 16);
  const y = (value: number): number => height - 12 - ((value - low) / Math.max(1e-12, high - low)) * (height - 24);
  const placesOf = (name: "value" | "reference"): readonly (Place | null)[] =>
    points.map((point) => {
      const value = point[name];
      return value === null ? null : [x(point.window_end), y(value)];
    });
  const raised = points.filter(({ state }, at) => state === "ALERT" && points[at - 1]?.state !== "ALERT");
  return (
    <figure class="signal">
      <div class="chart">
        <div class="scale-of faint" aria-hidden="true">
          <span>{valueText(unit, high)}</span>
          <span>{valueText(unit, low)}</span>
        </div>
        <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
          <Line name="limit" places={placesOf("reference")} />
          <Line name="value" places={placesOf("value")} />
          <Line
            name="alerting"
            places={points.map(({ state, window_end: end }) => (state === "ALERT" ? [x(end), height - 2] : null))}
          />
          {raised.map(({ window_end: end, value }) => (
            <path class="raised" d={`M${x(end)},${y(value ?? low) - 7}l7,12h-14Z`} key={end}>
              <title>{`Alert ${shortTime(end)}: ${valueText(unit, value)}`}</title>
            </path>
          ))}
        </svg>
      </div>
      <figcaption class="faint">
        <span>{shortTime(first.window_end)}</span>
        <span aria-hidden="true">
          <span class="line-key" /> value <span class="line-key limit" /> {referenceTitle.toLowerCase()}{" "}
          <span class="bad">▲</span> alert
        </span>
        <span>{shortTime(last.window_end)}</span>
      </figcaption>
      <ValueTable {...props} />
    </figure>
  );
};
