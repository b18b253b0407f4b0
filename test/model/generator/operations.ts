import type { Random } from "../../support/random.ts";
import { someMoreSpans, someSpanPatch, someTrace, someTracePatch } from "./bodies.ts";
import type { Pools } from "./pools.ts";
import { someUuid } from "./values.ts";

/** A request that changes a project; bodies are JSON text. */
export type Operation =
  | { readonly kind: "ingest"; readonly trace: string; readonly body: string }
  | { readonly kind: "ingest-batch"; readonly traces: readonly string[]; readonly body: string }
  | { readonly kind: "append-spans"; readonly trace: string; readonly body: string }
  | { readonly kind: "patch-trace"; readonly trace: string; readonly body: string }
  | { readonly kind: "patch-span"; readonly trace: string; readonly span: string; readonly body: string }
  | {
      readonly kind: "change-tags";
      readonly traces: readonly string[];
      readonly add: readonly string[];
      readonly remove: readonly string[];
    }
  | { readonly kind: "delete-trace"; readonly trace: string }
  | { readonly kind: "delete-traces"; readonly traces: readonly string[] }
  | { readonly kind: "delete-session"; readonly session: string };

type OperationKind = Operation["kind"];

/** Relative frequency of each kind of operation. */
export type Shares = Partial<Readonly<Record<OperationKind, number>>>;

export const allShares: Shares = {
  ingest: 50,
  "ingest-batch": 4,
  "append-spans": 14,
  "patch-trace": 9,
  "patch-span": 7,
  "change-tags": 4,
  "delete-trace": 3,
  "delete-traces": 2,
  "delete-session": 1,
};

const several = (random: Random, ids: Pools["traces"]): readonly string[] =>
  Array.from({ length: random.between(1, 4) }, () => random.pick(ids));

const picked = (random: Random, shares: Shares): OperationKind => {
  const entries = Object.entries(shares) as [OperationKind, number][];
  let remainingShare = random.next() * entries.reduce((sum, [, share]) => sum + share, 0);
  for (const [kind, share] of entries) if ((remainingShare -= share) < 0) return kind;
  return "ingest";
};

/** True for a session id that can be used in a path. */
export const hasPath = (session: string): boolean => !/^(?:|\.{1,2}|analytics)$|\//.test(session);

/**
 * A random operation.
 * @param spansOf returns the span ids of a trace.
 */
export const someOperation = (
  random: Random,
  pools: Pools,
  shares: Shares,
  spansOf: (trace: string) => readonly string[],
): Operation => {
  const kind = picked(random, shares);
  const trace = random.chance(0.03) ? someUuid(random) : random.pick(pools.traces);
  switch (kind) {
    case "ingest":
      return { kind, trace, body: JSON.stringify(someTrace(random, pools, trace)) };
    case "ingest-batch": {
      const traces = several(random, pools.traces);
      return { kind, traces, body: JSON.stringify({ traces: traces.map((id) => someTrace(random, pools, id)) }) };
    }
    case "append-spans":
      return { kind, trace, body: JSON.stringify(someMoreSpans(random, pools)) };
    case "patch-trace":
      return { kind, trace, body: JSON.stringify(someTracePatch(random, pools)) };
    case "patch-span": {
      const [first = random.pick(pools.spans), ...otherSpans] = random.chance(0.1) ? [] : spansOf(trace);
      return {
        kind,
        trace,
        span: random.pick([first, ...otherSpans]),
        body: JSON.stringify(someSpanPatch(random, pools)),
      };
    }
    case "change-tags": {
      const someTags = (): readonly string[] => Array.from({ length: random.below(3) }, () => random.pick(pools.tags));
      return { kind, traces: several(random, pools.traces), add: someTags(), remove: someTags() };
    }
    case "delete-trace":
      return { kind, trace };
    case "delete-traces":
      return { kind, traces: several(random, pools.traces) };
    // Some sessions remain.
    case "delete-session":
      return { kind, session: random.pick(pools.sessions.filter(hasPath) as [string, ...string[]]) };
    default:
      return kind satisfies never;
  }
};
