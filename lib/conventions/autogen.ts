import type { Json } from "../domain/json.ts";
import { messageOfRepr } from "./payloads/autogen.ts";
import { messagesOf } from "./payloads/messages.ts";
import { isList } from "./attributes/embedded-json.ts";
import { documentedAs, objectAt, type Reader } from "./attributes/reader.ts";
import type { Convention } from "./convention.ts";

const inputObject = objectAt("input.value");

/** Reads the input of an agent or a team: a task, or messages, which may be Python `repr` texts. */
const agentInput: Reader<Json> = documentedAs(["input.value"], (span) => {
  const result = inputObject(span);
  const { task, messages } = result?.value ?? {};
  if (result === null) return null;
  if (typeof task === "string")
    return { value: [{ role: "user", content: task }], keys: [], retainedKeys: result.keys };
  if (!isList(messages)) return null;
  const parsedMessages = messages.map((each) => (typeof each === "string" ? messageOfRepr(each) : null));
  const chatMessages = parsedMessages.every((each) => each !== null) ? messagesOf(parsedMessages) : null;
  return chatMessages === null ? null : { value: chatMessages, keys: [], retainedKeys: result.keys };
});

/** Attributes of AutoGen: its agents, and its runtime, which creates a span for each message between agents. */
export const autoGen: Convention = {
  product: "AutoGen",
  applies: (_, { scope }) => scope.name.includes("autogen"),
  input: [agentInput],
  bookkeeping: [
    "gen_ai.agent.description",
    "graph.",
    "message",
    "message_context",
    "messaging.",
    "participant_descriptions",
    "participant_names",
    "recipient_agent_class",
    "recipient_agent_type",
    "sender_agent_class",
    "sender_agent_type",
    "team_id",
  ],
};
