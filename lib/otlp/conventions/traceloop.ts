import { encodedAt, encodedUnder, peeked, textAt, wordAt } from "../reader.ts";
import { inNamespace, type Convention } from "./convention.ts";

const associated = "traceloop.association.properties.";
const [sessions, users] = [
  ["session_id", "thread_id", "conversation_id"].map((name) => associated + name),
  [`${associated}user_id`],
];

const entityName = peeked(textAt("traceloop.entity.name"));

/** Traceloop's OpenLLMetry around model calls: workflows, tasks, agents and tools. Its model calls are GenAI's. */
export const traceloop: Convention = {
  applies: inNamespace("traceloop"),
  kind: [wordAt("traceloop.span.kind", { workflow: "CHAIN", task: "CHAIN", agent: "AGENT", tool: "TOOL" })],
  input: [encodedAt("traceloop.entity.input")],
  output: [encodedAt("traceloop.entity.output")],
  toolName: [entityName],
  agentName: [entityName],
  chainName: [entityName],
  session: sessions.map((name) => textAt(name)),
  user: users.map((name) => textAt(name)),
  metadata: [encodedUnder(associated, [...sessions, ...users])],
  bookkeeping: ["gen_ai.task.", "gen_ai.workflow.", "traceloop."],
};
