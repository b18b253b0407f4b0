import type { Json } from "../../domain/json.ts";
import { encodedAt, isList, isObject, mapped, peeked, textAt, under, wordAt } from "../reader.ts";
import type { Convention } from "./convention.ts";

const associated = "traceloop.association.properties.";
const [session, user] = [`${associated}session_id`, `${associated}user_id`];

/** Traceloop's decorators put the arguments of a function beside their names. */
const argumentsIn = (value: Json): Json => {
  if (!isObject(value)) return value;
  const { args, kwargs, inputs } = value;
  if (inputs !== undefined) return inputs;
  if (!isList(args) || !isObject(kwargs)) return value;
  const named = Object.keys(kwargs).length > 0;
  if (args.length === 0 && named) return kwargs;
  return args.length === 1 && !named ? (args[0] ?? value) : value;
};

const entityName = peeked(textAt("traceloop.entity.name"));

/** Traceloop's OpenLLMetry around model calls: workflows, tasks, agents and tools. Its model calls are GenAI's. */
export const traceloop: Convention = {
  kind: [wordAt("traceloop.span.kind", { workflow: "CHAIN", task: "CHAIN", agent: "AGENT", tool: "TOOL" })],
  input: [mapped(encodedAt("traceloop.entity.input"), argumentsIn)],
  output: [encodedAt("traceloop.entity.output")],
  toolName: [entityName],
  agentName: [entityName],
  chainName: [entityName],
  session: [textAt(session)],
  user: [textAt(user)],
  metadata: [under(associated, [session, user])],
  bookkeeping: ["traceloop.entity.name", "traceloop.entity.path", "traceloop.workflow.name"],
};
