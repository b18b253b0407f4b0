import { plural, truncateWithEllipsis } from "../format.ts";
import type { TranscriptEntry } from "./transcript.ts";

/** Max turns in an outline. */
const maxTurns = 500;

const speakers = { user: "User", system: "System", model: "Model" } as const;

const titleOf = (turn: TranscriptEntry): readonly [label: string, text: string] => {
  if (turn.kind === "repeats") return ["Steps", turn.name];
  if (turn.kind === "failure") return ["Failed", turn.span.name];
  if (turn.kind === "tool") return [turn.span.status === "ERROR" ? "Failed" : "Tool", turn.span.name];
  return [speakers[turn.kind], turn.text];
};

/** Folded list of a transcript's turns; a click on one calls `onJump` with its index. */
export const Outline = ({
  turns,
  onJump,
}: {
  readonly turns: readonly TranscriptEntry[];
  readonly onJump: (index: number) => void;
}) => (
  <details class="outline">
    <summary>Outline of {plural(turns.length, "turn")}</summary>
    <ol>
      {turns.slice(0, maxTurns).map((turn, index) => {
        const [label, text] = titleOf(turn);
        return (
          <li>
            <button type="button" class="quiet" onClick={() => onJump(index)}>
              <b>{label}</b>{" "}
              <span dir="auto">{truncateWithEllipsis(text.slice(0, 400).replaceAll(/\s+/gu, " "), 80)}</span>
            </button>
          </li>
        );
      })}
      {turns.length > maxTurns && <li class="faint">{turns.length - maxTurns} more</li>}
    </ol>
  </details>
);
