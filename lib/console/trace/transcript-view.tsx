import { useEffect, useMemo, useRef } from "preact/hooks";
import { useSignal } from "@preact/signals";
import type { Span } from "../../client/interface.ts";
import { messageText } from "../content/chat.ts";
import type { TranscriptEntry } from "./transcript.ts";
import { duration, truncateWithEllipsis } from "../format.ts";
import { LoadMore } from "../parts/load-more.tsx";
import { LazySpanContent } from "./lazy-span-content.tsx";
import { Outline } from "./outline.tsx";
import { PartsView } from "../content/parts-view.tsx";

/** Scrolls the element with an id into view whenever the id changes; null for none. */
const useScrollIntoView = (id: string | null): void => {
  useEffect(() => {
    if (id !== null) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [id]);
};

interface TurnsProps {
  readonly turns: readonly TranscriptEntry[];
  readonly selectedId: string | null;
  readonly onSelect: (span: string) => void;
  /** Id of the trace to load the content of opened steps from; null if the spans already have their content. */
  readonly trace?: string | null;
}

/** Number of transcript entries, or steps of a group, that are rendered at first. */
const turnsPerPage = 60;

/** Min number of turns with an outline. */
const minOutline = 8;

const preview = (value: unknown): string =>
  value === null || value === undefined
    ? ""
    : truncateWithEllipsis((messageText(value) ?? JSON.stringify(value)).replaceAll(/\s+/gu, " "), 140);

const spansOf = (turn: TranscriptEntry): readonly Span[] => {
  if (turn.kind === "repeats") return turn.spans;
  return turn.span === null ? [] : [turn.span];
};

const speakers = { user: "User", system: "System", model: "Model" } as const;

const Step = ({
  span,
  isRepeat,
  isSelected,
  onSelect,
  trace,
}: {
  readonly trace: string | null;
  readonly span: Span;
  readonly isRepeat: boolean;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) => {
  const hasFailed = span.status === "ERROR" || span.error !== null;
  const isOpen = useSignal(hasFailed && trace === null);
  return (
    <details
      class={`step${hasFailed ? " bad" : ""}${isSelected ? " on" : ""}`}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => (isOpen.value = open)}
      id={`turn-${span.span_id}`}
    >
      <summary>
        <b dir="auto">{span.name}</b> <code dir="auto">{preview(span.input)}</code>
        <span class="faint">
          {" "}
          {hasFailed && "failed · "}
          {isRepeat && "repeated · "}
          {duration(span.latency_ms)}
        </span>
        <span class="result" dir="auto">
          {hasFailed ? (span.error ?? preview(span.output)) : preview(span.output)}
        </span>
      </summary>
      {isOpen.value && <LazySpanContent span={span} trace={trace} />}
      <button type="button" class="quiet" onClick={onSelect}>
        Show span
      </button>
    </details>
  );
};

const StepGroup = ({
  name,
  spans,
  selectedId,
  onSelect,
  trace,
}: {
  readonly trace: string | null;
  readonly name: string;
  readonly spans: readonly Span[];
  readonly selectedId: string | null;
  readonly onSelect: (span: string) => void;
}) => {
  const at = spans.findIndex(({ span_id: id }) => id === selectedId);
  const [isOpen, maxSteps] = [useSignal(false), useSignal(turnsPerPage)];
  const isShown = isOpen.value || at >= 0;
  if (at >= maxSteps.peek()) maxSteps.value = at + 1;
  return (
    <details class="step" open={isShown} onToggle={({ currentTarget: { open } }) => (isOpen.value = open)}>
      <summary>
        <b dir="auto">{name}</b> <span class="faint">{spans.length} in a row, all succeeded</span>
      </summary>
      {isShown &&
        spans
          .slice(0, maxSteps.value)
          .map((span) => (
            <Step
              key={span.span_id}
              span={span}
              isRepeat={false}
              trace={trace}
              isSelected={span.span_id === selectedId}
              onSelect={() => onSelect(span.span_id)}
            />
          ))}
      {isShown && spans.length > maxSteps.value && (
        <LoadMore load={() => (maxSteps.value += turnsPerPage)}>{`${spans.length - maxSteps.value} more`}</LoadMore>
      )}
    </details>
  );
};

const TurnLine = ({
  turn,
  isFirstOfSpan,
  selectedId,
  onSelect,
  trace = null,
}: {
  readonly turn: TranscriptEntry;
  /** True for the turn to which a selection of its span scrolls: an id of the document belongs to one element. */
  readonly isFirstOfSpan: boolean;
} & Omit<TurnsProps, "turns">) => {
  if (turn.kind === "repeats")
    return <StepGroup name={turn.name} spans={turn.spans} selectedId={selectedId} onSelect={onSelect} trace={trace} />;
  if (turn.kind === "tool")
    return (
      <Step
        span={turn.span}
        isRepeat={turn.isRepeat}
        trace={trace}
        isSelected={turn.span.span_id === selectedId}
        onSelect={() => onSelect(turn.span.span_id)}
      />
    );
  if (turn.kind === "failure")
    return (
      <button
        type="button"
        class="step bad failure"
        {...(isFirstOfSpan && { id: `turn-${turn.span.span_id}` })}
        onClick={() => onSelect(turn.span.span_id)}
      >
        <b dir="auto">{turn.span.name}</b> failed{" "}
        <span dir="auto">{turn.span.error ?? (preview(turn.span.output) || "without a message")}</span>
      </button>
    );
  const { kind, text, span, parts = [{ type: "text", text }] } = turn;
  return (
    <article
      class={`turn ${kind}${span !== null && span.span_id === selectedId ? " on" : ""}`}
      {...(span !== null && isFirstOfSpan && { id: `turn-${span.span_id}` })}
    >
      <h2>
        {speakers[kind]}
        {turn.isFinal && <span class="faint"> · final answer</span>}
        {kind === "model" && span !== null && (
          <button type="button" class="quiet" onClick={() => onSelect(span.span_id)} dir="auto">
            {span.model ?? span.name}
          </button>
        )}
      </h2>
      {kind === "system" ? (
        <details>
          <summary class="faint">{truncateWithEllipsis(text.replaceAll(/\s+/gu, " "), 120)}</summary>
          <PartsView parts={parts} />
        </details>
      ) : (
        <PartsView parts={parts} />
      )}
    </article>
  );
};

/** Transcript of a trace as a list of messages and expandable steps. */
export const TranscriptView = ({ turns, selectedId, onSelect, trace = null }: TurnsProps) => {
  const maxTurns = useSignal(turnsPerPage);
  const firstTurns = useMemo(
    () => new Map(turns.toReversed().flatMap((turn) => spansOf(turn).map(({ span_id: id }) => [id, turn]))),
    [turns],
  );
  const selectedTurn = selectedId === null ? undefined : firstTurns.get(selectedId);
  const at = selectedTurn === undefined ? -1 : turns.indexOf(selectedTurn);
  const visibleCount = Math.max(maxTurns.value, at + 1);
  useScrollIntoView(selectedId === null ? null : `turn-${selectedId}`);
  const list = useRef<HTMLDivElement>(null);
  const jump = useSignal<{ readonly index: number } | null>(null);
  useEffect(() => {
    if (jump.value !== null) list.current?.children[jump.value.index]?.scrollIntoView({ block: "start" });
  }, [jump.value]);
  const jumpTo = (index: number): void => {
    maxTurns.value = Math.max(maxTurns.peek(), index + 1);
    jump.value = { index };
  };
  return (
    <div class="transcript">
      {turns.length >= minOutline && <Outline turns={turns} onJump={jumpTo} />}
      {turns.length === 0 && <p class="faint">No messages. See the timeline for the spans.</p>}
      <div class="transcript" ref={list}>
        {turns.slice(0, visibleCount).map((turn, index) => (
          <TurnLine
            key={index}
            turn={turn}
            isFirstOfSpan={spansOf(turn).some(({ span_id: id }) => firstTurns.get(id) === turn)}
            selectedId={selectedId}
            onSelect={onSelect}
            trace={trace}
          />
        ))}
      </div>
      {turns.length > visibleCount && (
        <LoadMore
          load={() => (maxTurns.value = visibleCount + turnsPerPage * 2)}
        >{`${turns.length - visibleCount} more turns`}</LoadMore>
      )}
    </div>
  );
};
