import { useRef } from "preact/hooks";
import { plural } from "../format.ts";
import { updateQuery } from "../route.ts";
import { useShortcuts } from "../shortcuts.ts";

/** Search over the spans of a trace: field, number of matches, and buttons to the previous and next one. */
export const SearchBar = ({
  text,
  matches,
  selectedId,
  onSelect,
  unloadedCount,
}: {
  readonly text: string;
  /** Ids of the spans that contain the text; null without a text. */
  readonly matches: readonly string[] | null;
  readonly selectedId: string | null;
  readonly onSelect: (span: string) => void;
  /** Number of spans whose input and output are not loaded, and therefore not searched. */
  readonly unloadedCount: number;
}) => {
  const field = useRef<HTMLInputElement>(null);
  const count = matches?.length ?? 0;
  const at = selectedId === null ? -1 : (matches?.indexOf(selectedId) ?? -1);
  const step = (offset: 1 | -1): void => {
    const first = offset === 1 ? 0 : count - 1;
    const next = matches?.[at < 0 ? first : (at + offset + count) % count];
    if (next !== undefined) onSelect(next);
  };
  useShortcuts({
    "/": [() => field.current?.focus(), "search the trace"],
    n: [() => step(1), "next match"],
    N: [() => step(-1), "previous match"],
  });
  return (
    <div class="tools" role="search">
      <input
        ref={field}
        type="search"
        placeholder="Search the trace"
        aria-label="Search the trace"
        value={text}
        onInput={({ currentTarget: { value } }) => updateQuery({ find: value })}
        onKeyDown={({ key, shiftKey, currentTarget }) => {
          if (key === "Enter") step(shiftKey ? -1 : 1);
          else if (key === "Escape") currentTarget.blur();
        }}
      />
      {matches !== null && (
        <>
          <span class="faint" aria-live="polite">
            {count === 0 ? "no span" : at < 0 ? plural(count, "span") : `${at + 1} of ${plural(count, "span")}`}
          </span>
          <button
            type="button"
            class="quiet"
            disabled={count === 0}
            onClick={() => step(-1)}
            aria-label="Previous match"
          >
            ↑
          </button>
          <button type="button" class="quiet" disabled={count === 0} onClick={() => step(1)} aria-label="Next match">
            ↓
          </button>
          {unloadedCount > 0 && (
            <span class="faint">
              Names and errors only: inputs and outputs of {plural(unloadedCount, "span")} are not loaded.
            </span>
          )}
        </>
      )}
    </div>
  );
};
