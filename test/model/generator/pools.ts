import type { Random } from "../../support/random.ts";
import { oddTexts, someUuid } from "./values.ts";

/** Names and ids shared by a project's requests, few enough to collide. */
export interface Pools {
  readonly traces: readonly [string, ...string[]];
  readonly spans: readonly [string, ...string[]];
  readonly sessions: readonly [string, ...string[]];
  readonly users: readonly [string, ...string[]];
  readonly tags: readonly [string, ...string[]];
  readonly names: readonly [string, ...string[]];
  readonly models: readonly [string, ...string[]];
  /** Models with a known price. */
  readonly priced: readonly [string, ...string[]];
}

const list = (count: number, make: (index: number) => string): [string, ...string[]] => [
  make(0),
  ...Array.from({ length: count - 1 }, (_, index) => make(index + 1)),
];

/** @param traces maximum number of traces. */
export const somePools = (random: Random, traces: number): Pools => ({
  traces: list(traces, () => someUuid(random)),
  spans: list(traces * 3, () => someUuid(random)),
  sessions: ["chat", "Chat", "chat-2", "x".repeat(255), ...oddTexts],
  users: ["user", "User", "user-2", "😀".repeat(127), ...oddTexts],
  tags: ["prod", "Prod", "eu", "a,b", "t".repeat(255), ...oddTexts],
  names: ["support-agent", "Support-Agent", "n".repeat(512), ...oddTexts.filter((text) => text !== "")],
  priced: ["gpt-5.4-mini", "GPT-5.4-mini", "claude-sonnet-4-5"],
  models: ["claude", ...list(12, (index) => `model-${index}`), ...oddTexts],
});
