import type { TraceListItem } from "../../client/interface.ts";
import { toneOf } from "./tone.ts";

type RowScore = NonNullable<TraceListItem["scores"]>[number];

/** Max chips in a row of the trace list. */
const maxChips = 2;

/** Sort key that puts the worst scores first: false and low values, then true ones, not applicable last. */
const sortKey = (score: RowScore): number => {
  if (score.applicable === false) return 3;
  if (score.data_type === "NUMERIC") return Number(score.value);
  return score.value === "false" ? 0 : 2;
};

/** Value of a score, numbers with at most two decimals. */
const displayValue = ({ value, applicable, data_type: type }: RowScore): string => {
  if (applicable === false || value === null) return "n/a";
  return type === "NUMERIC" ? String(Math.round(Number(value) * 100) / 100) : value;
};

/** Returns the chips of a trace's scores, the worst first. */
const chipsOf = (scores: readonly RowScore[]): readonly RowScore[] =>
  scores.toSorted((a, b) => sortKey(a) - sortKey(b)).slice(0, maxChips);

/** Returns about how wide the chips of a trace are, in widths of a digit: its characters are smaller, and each chip has a border. */
export const chipsWidth = (scores: readonly RowScore[]): number =>
  chipsOf(scores).reduce((sum, score) => sum + 3 + 0.76 * (displayValue(score).length + 1 + score.name.length), 0) +
  (scores.length > maxChips ? 3 : 0);

/** Chips with a trace's newest scores: value, metric name and color. */
export const ScoreChips = ({ scores }: { readonly scores: readonly RowScore[] }) => (
  <span class="scores">
    {chipsOf(scores).map((score) => (
      <span class={`score ${toneOf(score)}`} title={`${score.name}: ${score.value ?? "none"}`}>
        <b dir="auto">{displayValue(score)}</b> <span dir="auto">{score.name.replaceAll("_", " ")}</span>
      </span>
    ))}
    {scores.length > maxChips && <span class="faint">+{scores.length - maxChips}</span>}
  </span>
);
