import { amount, amountsAt, jsonAt, mapped, wordAt } from "../reader.ts";
import type { Convention } from "./convention.ts";

/** Strands' agents, where they differ from the GenAI conventions that they are in. */
export const strands: Convention = {
  applies: (_, { scope }) => scope.name.startsWith("strands"),
  kind: [
    wordAt("gen_ai.operation.name", {
      execute_event_loop_cycle: "CHAIN",
      invoke_swarm: "CHAIN",
      invoke_graph: "CHAIN",
    }),
  ],
  tags: [jsonAt("langfuse.tags")],
  usage: [amountsAt({ cache_write_tokens: ["gen_ai.usage.cache_write_input_tokens"] })],
  // In milliseconds here, where others have seconds.
  firstToken: [mapped(jsonAt("gen_ai.server.time_to_first_token"), amount)],
  bookkeeping: [
    "event_loop.",
    "gen_ai.agent.tools",
    "gen_ai.event.",
    "gen_ai.server.",
    "gen_ai.tool.json_schema",
    "gen_ai.tool.status",
  ],
};
