import { nonNegativeNumber, jsonAt, mapReader, enumAt } from "./attributes/reader.ts";
import type { Convention } from "./convention.ts";
import { tagsAt } from "./tags.ts";

/** Attributes of Strands Agents that differ from the GenAI conventions. */
export const strands: Convention = {
  product: "Strands",
  applies: (_, { scope }) => scope.name.startsWith("strands"),
  kind: [
    enumAt("gen_ai.operation.name", {
      execute_event_loop_cycle: "CHAIN",
      invoke_swarm: "CHAIN",
      invoke_graph: "CHAIN",
    }),
  ],
  tags: [tagsAt("langfuse.tags")],
  // Strands reports milliseconds, unlike the GenAI conventions, which define seconds.
  firstToken: [mapReader(jsonAt("gen_ai.server.time_to_first_token"), nonNegativeNumber)],
  bookkeeping: [
    "event_loop.",
    "gen_ai.agent.tools",
    "gen_ai.event.",
    "gen_ai.server.",
    "gen_ai.tool.json_schema",
    "gen_ai.tool.status",
  ],
};
