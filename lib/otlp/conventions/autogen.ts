import type { Json } from "../../domain/json.ts";
import { shownMessage } from "../payloads/autogen.ts";
import { messagesOf } from "../payloads/messages.ts";
import { isList, objectAt, type Reader } from "../reader.ts";
import type { Convention } from "./convention.ts";

const given = objectAt("input.value");

/** What an agent or a team was given: a task, or messages as Python shows them. */
const asked: Reader<Json> = (span) => {
  const found = given(span);
  const { task, messages } = found?.value ?? {};
  if (found === null) return null;
  if (typeof task === "string") return { value: [{ role: "user", content: task }], keys: [], kept: found.keys };
  if (!isList(messages)) return null;
  const shown = messages.map((each) => (typeof each === "string" ? shownMessage(each) : null));
  const said = shown.every((each) => each !== null) ? messagesOf(shown) : null;
  return said === null ? null : { value: said, keys: [], kept: found.keys };
};

/** AutoGen's agents and its runtime, which has a span for each message that it passes on. */
export const autoGen: Convention = {
  applies: (_, { scope }) => scope.name.includes("autogen"),
  input: [asked],
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
