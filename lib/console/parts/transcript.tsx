import { useSignal } from "@preact/signals";
import type { Span } from "../../client/interface.ts";
import { wordsOf } from "../trace/content.ts";
import type { Turn } from "../trace/transcript.ts";
import { duration, short } from "../words.ts";
import { Content, Text } from "./content.tsx";
import { useInView } from "./in-view.ts";

interface TurnsProps {
  readonly turns: readonly Turn[];
  readonly chosen: string | null;
  readonly choose: (span: string) => void;
}

const preview = (value: unknown): string =>
  value === null || value === undefined
    ? ""
    : short((wordsOf(value) ?? JSON.stringify(value)).replaceAll(/\s+/gu, " "), 140);

const speakers = { user: "User", system: "System", model: "Model" } as const;

const Step = ({
  span,
  isRepeat,
  isOn,
  choose,
}: {
  readonly span: Span;
  readonly isRepeat: boolean;
  readonly isOn: boolean;
  readonly choose: () => void;
}) => {
  const hasFailed = span.status === "ERROR" || span.error !== null;
  return (
    <details class={`step${hasFailed ? " bad" : ""}${isOn ? " on" : ""}`} open={hasFailed} id={`turn-${span.span_id}`}>
      <summary>
        <b dir="auto">{span.name}</b> <code dir="auto">{preview(span.input)}</code>
        <span class="faint">
          {" "}
          {hasFailed && "failed · "}
          {isRepeat && "again · "}
          {duration(span.latency_ms)}
        </span>
        <span class="result" dir="auto">
          {hasFailed ? (span.error ?? preview(span.output)) : preview(span.output)}
        </span>
      </summary>
      <h3>Input</h3>
      <Content value={span.input} />
      <h3>Output</h3>
      {span.error === null ? <Content value={span.output} /> : <Text text={span.error} isCode />}
      <button type="button" class="quiet" onClick={choose}>
        Show the span
      </button>
    </details>
  );
};

const Repeats = ({
  name,
  spans,
  chosen,
  choose,
}: {
  readonly name: string;
  readonly spans: readonly Span[];
  readonly chosen: string | null;
  readonly choose: (span: string) => void;
}) => {
  const isOpen = useSignal(false);
  return (
    <details
      class="step"
      open={isOpen.value || spans.some(({ span_id: id }) => id === chosen)}
      onToggle={({ currentTarget: { open } }) => (isOpen.value = open)}
    >
      <summary>
        <b dir="auto">{name}</b> <span class="faint">{spans.length} times, one after the other, all went well</span>
      </summary>
      {isOpen.value &&
        spans.map((span) => (
          <Step
            key={span.span_id}
            span={span}
            isRepeat={false}
            isOn={span.span_id === chosen}
            choose={() => choose(span.span_id)}
          />
        ))}
    </details>
  );
};

const TurnLine = ({ turn, chosen, choose }: { readonly turn: Turn } & Omit<TurnsProps, "turns">) => {
  if (turn.kind === "repeats") return <Repeats name={turn.name} spans={turn.spans} chosen={chosen} choose={choose} />;
  if (turn.kind === "tool")
    return (
      <Step
        span={turn.span}
        isRepeat={turn.isRepeat}
        isOn={turn.span.span_id === chosen}
        choose={() => choose(turn.span.span_id)}
      />
    );
  if (turn.kind === "failure")
    return (
      <button
        type="button"
        class="step bad failure"
        id={`turn-${turn.span.span_id}`}
        onClick={() => choose(turn.span.span_id)}
      >
        <b dir="auto">{turn.span.name}</b> failed:{" "}
        <span dir="auto">{turn.span.error ?? preview(turn.span.output)}</span>
      </button>
    );
  const { kind, text, span } = turn;
  return (
    <article class={`turn ${kind}`}>
      <h2>
        {speakers[kind]}
        {turn.isFinal && <span class="faint"> · final answer</span>}
        {kind === "model" && span !== null && (
          <button type="button" class="quiet" onClick={() => choose(span.span_id)} dir="auto">
            {span.model ?? span.name}
          </button>
        )}
      </h2>
      {kind === "system" ? (
        <details>
          <summary class="faint">{short(text.replaceAll(/\s+/gu, " "), 120)}</summary>
          <Text text={text} />
        </details>
      ) : (
        <Text text={text} />
      )}
    </article>
  );
};

/** Turns that are drawn at once. */
const drawn = 60;

/** What happened, as a conversation. */
export const Transcript = ({ turns, chosen, choose }: TurnsProps) => {
  const most = useSignal(drawn);
  const at = turns.findIndex((turn) => "span" in turn && turn.span?.span_id === chosen);
  const shown = Math.max(most.value, at + 1);
  useInView(chosen === null ? null : `turn-${chosen}`);
  return (
    <div class="transcript">
      {turns.length === 0 && <p class="faint">Nothing was said in this trace. The timeline has its spans.</p>}
      {turns.slice(0, shown).map((turn, index) => (
        <TurnLine key={index} turn={turn} chosen={chosen} choose={choose} />
      ))}
      {turns.length > shown && (
        <button type="button" onClick={() => (most.value = shown + drawn * 2)}>
          {turns.length - shown} more turns
        </button>
      )}
    </div>
  );
};
