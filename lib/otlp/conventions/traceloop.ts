import type { Json } from "../../domain/json.ts";
import { isObject, jsonAt, mapped, textAt, under, wordAt } from "../reader.ts";
import type { Convention } from "./convention.ts";

const associated = "traceloop.association.properties.";
const [session, user] = [`${associated}session_id`, `${associated}user_id`];

/** Traceloop's decorators put the arguments of a function beside their names. */
const argumentsIn = (value: Json): Json => {
  if (!isObject(value)) return value;
  const { args, kwargs, inputs } = value;
  if (inputs !== undefined) return inputs;
  return Array.isArray(args) && isObject(kwargs) && Object.keys(kwargs).length === 0 && args.length === 1
    ? (args[0] ?? value)
    : value;
};

/** Traceloop's OpenLLMetry around model calls: workflows, tasks, agents and tools. Its model calls are GenAI's. */
export const traceloop: Convention = {
  kind: [wordAt("traceloop.span.kind", { workflow: "CHAIN", task: "CHAIN", agent: "AGENT", tool: "TOOL" })],
  input: [mapped(jsonAt("traceloop.entity.input"), argumentsIn)],
  output: [jsonAt("traceloop.entity.output")],
  toolName: [textAt("traceloop.entity.name")],
  session: [textAt(session)],
  user: [textAt(user)],
  metadata: [under(associated, [session, user])],
};
