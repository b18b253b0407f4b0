import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useKeys } from "../keys.ts";
import type { Node } from "../trace/tree.ts";
import { count, duration, plural } from "../words.ts";
import { Rows } from "./rows.tsx";

interface TimelineProps {
  readonly nodes: readonly Node[];
  readonly chosen: string | null;
  readonly choose: (span: string | null) => void;
}

const height = 26;

/** Of a bar, in percent: what is shorter is drawn so. */
const thinnest = 0.4;

const hasFailed = ({ span }: Node): boolean => span.status === "ERROR" || span.error !== null;

/** Nodes without those below a folded one. */
const unfolded = (nodes: readonly Node[], folded: ReadonlySet<string>): readonly Node[] => {
  const shown: Node[] = [];
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at];
    if (node === undefined) break;
    shown.push(node);
    if (folded.has(node.span.span_id)) at += node.below;
  }
  return shown;
};

/** All spans as bars below each other, by time or by order, of which only those in view are drawn. */
export const Timeline = ({ nodes, chosen, choose }: TimelineProps) => {
  const [find, failedOnly, bySequence, folded] = [
    useSignal(""),
    useSignal(false),
    useSignal(false),
    useSignal<ReadonlySet<string>>(new Set()),
  ];
  const end = useMemo(() => nodes.reduce((most, { to }) => Math.max(most, to), 1), [nodes]);
  const places = useMemo(() => new Map(nodes.map((node, at) => [node, at])), [nodes]);
  const sought = find.value.trim().toLowerCase();
  const shown = useMemo(() => {
    if (sought === "" && !failedOnly.value) return unfolded(nodes, folded.value);
    return nodes.filter(
      (node) =>
        (!failedOnly.value || hasFailed(node)) &&
        (sought === "" || `${node.span.name} ${node.span.model ?? ""}`.toLowerCase().includes(sought)),
    );
  }, [nodes, sought, failedOnly.value, folded.value]);
  const at = shown.findIndex(({ span }) => span.span_id === chosen);
  const move = (to: number): void => {
    const node = shown[Math.max(0, Math.min(shown.length - 1, to))];
    if (node !== undefined) choose(node.span.span_id);
  };
  const fold = (id: string, isFolded: boolean): void => {
    const next = new Set(folded.value);
    if (isFolded) next.add(id);
    else next.delete(id);
    folded.value = next;
  };
  const current = shown[at];
  useKeys({
    j: () => move(at + 1),
    k: () => move(at - 1),
    ArrowDown: () => move(at + 1),
    ArrowUp: () => move(at - 1),
    ArrowLeft: () => current !== undefined && fold(current.span.span_id, true),
    ArrowRight: () => current !== undefined && fold(current.span.span_id, false),
  });
  const barOf = (node: Node): { readonly left: string; readonly width: string } => {
    if (bySequence.value)
      return {
        left: `${((places.get(node) ?? 0) / nodes.length) * 100}%`,
        width: `${Math.max(thinnest, ((node.below + 1) / nodes.length) * 100)}%`,
      };
    return {
      left: `${(node.from / end) * 100}%`,
      width: `${Math.max(thinnest, ((node.to - node.from) / end) * 100)}%`,
    };
  };
  const failures = nodes.filter(hasFailed);
  return (
    <div class="timeline">
      <div class="tools">
        <input
          type="search"
          placeholder="Find a span"
          aria-label="Find a span"
          value={find}
          onInput={({ currentTarget }) => (find.value = currentTarget.value)}
        />
        <label>
          <input
            type="checkbox"
            checked={failedOnly}
            onChange={({ currentTarget }) => (failedOnly.value = currentTarget.checked)}
          />{" "}
          failed only ({count(failures.length)})
        </label>
        <label>
          <input
            type="checkbox"
            checked={bySequence}
            onChange={({ currentTarget }) => (bySequence.value = currentTarget.checked)}
          />{" "}
          in order, not by time
        </label>
        <span class="faint" aria-live="polite">
          {plural(shown.length, "span")}, {duration(end)}
        </span>
      </div>
      <Rows
        count={shown.length}
        height={height}
        label="Spans"
        role="treegrid"
        inView={at < 0 ? null : at}
        row={(index) => {
          const node = shown[index];
          if (node === undefined) return null;
          const { span, depth, below } = node;
          const isFolded = folded.value.has(span.span_id);
          return (
            <div
              key={span.span_id}
              class={`row span-row${index === at ? " on" : ""}${hasFailed(node) ? " bad" : ""}`}
              role="row"
              aria-level={depth + 1}
              aria-rowindex={index + 1}
              aria-selected={index === at}
              {...(below > 0 ? { "aria-expanded": !isFolded } : {})}
              onClick={() => choose(span.span_id)}
            >
              <span role="gridcell" class="span-name" style={{ paddingInlineStart: `${Math.min(depth, 12) * 12}px` }}>
                {below > 0 ? (
                  <button
                    type="button"
                    class="fold"
                    tabIndex={-1}
                    aria-label={isFolded ? "Unfold" : "Fold"}
                    onClick={(event) => {
                      event.stopPropagation();
                      fold(span.span_id, !isFolded);
                    }}
                  >
                    {isFolded ? "▸" : "▾"}
                  </button>
                ) : (
                  <span class="fold" />
                )}
                <span class={`kind ${span.kind.toLowerCase()}`}>{span.kind.slice(0, 4).toLowerCase()}</span>{" "}
                <span dir="auto">{span.name}</span>
              </span>
              <span role="gridcell" class="lane">
                <span class="bar" style={barOf(node)} />
              </span>
              <span role="gridcell" class="number">
                {hasFailed(node) && <span title="failed">✕ </span>}
                {duration(span.latency_ms)}
              </span>
            </div>
          );
        }}
      />
    </div>
  );
};
