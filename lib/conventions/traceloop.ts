import { encodedAt, encodedUnder, withoutConsuming, textAt, enumAt, labelAt } from "./attributes/reader.ts";
import { inNamespace, type Convention } from "./convention.ts";

const associationPrefix = "traceloop.association.properties.";
const [sessions, users] = [
  ["session_id", "thread_id", "conversation_id"].map((name) => associationPrefix + name),
  [`${associationPrefix}user_id`],
];

const entityName = withoutConsuming(textAt("traceloop.entity.name"));

/** Attributes of Traceloop's OpenLLMetry for workflows, tasks, agents and tools; its model calls follow the GenAI conventions. */
export const traceloop: Convention = {
  applies: inNamespace("traceloop"),
  kind: [enumAt("traceloop.span.kind", { workflow: "CHAIN", task: "CHAIN", agent: "AGENT", tool: "TOOL" })],
  input: [encodedAt("traceloop.entity.input")],
  output: [encodedAt("traceloop.entity.output")],
  toolName: [entityName],
  agentName: [entityName],
  chainName: [entityName],
  session: sessions.map(labelAt),
  user: users.map(labelAt),
  traceMetadata: [encodedUnder(associationPrefix, [...sessions, ...users])],
  bookkeeping: ["gen_ai.task.", "gen_ai.workflow.", "traceloop."],
};
