import type { TraceListItem } from "../../client/interface.ts";
import { toneOf } from "./tone.ts";

type RowScore = NonNullable<TraceListItem["scores"]>[number];

/** Chips of a row: more would hide its name. */
const most = 2;

/** From the worst: what is numeric and low first. */
const worst = (score: RowScore): number => {
  if (score.applicable === false) return 3;
  if (score.data_type === "NUMERIC") return Number(score.value);
  return score.value === "false" ? 0 : 2;
};

/** Two digits, as many as a row has room for; the title has them all. */
const shownOf = ({ value, applicable, data_type: type }: RowScore): string => {
  if (applicable === false || value === null) return "n/a";
  return type === "NUMERIC" ? String(Math.round(Number(value) * 100) / 100) : value;
};

/** The newest score of each metric: number, name and colour. */
export const ScoreChips = ({ scores }: { readonly scores: readonly RowScore[] }) => (
  <span class="scores">
    {scores
      .toSorted((one, other) => worst(one) - worst(other))
      .slice(0, most)
      .map((score) => (
        <span class={`score ${toneOf(score)}`} title={`${score.name}: ${score.value ?? "none"}`}>
          <b dir="auto">{shownOf(score)}</b> <span dir="auto">{score.name.replaceAll("_", " ")}</span>
        </span>
      ))}
    {scores.length > most && <span class="faint">+{scores.length - most}</span>}
  </span>
);
