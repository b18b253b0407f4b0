import { textAt, textIn } from "../reader.ts";
import type { Convention } from "./convention.ts";

const [sessions, users] = [
  ["session_id", "thread_id", "conversation_id"] as const,
  ["user_id", "end_user_id"] as const,
];

/**
 * Names that no convention defines and many programs use: a thread or a user in the metadata. And what the SDKs of frameworks
 * note about themselves, whichever convention they speak.
 */
export const general: Convention = {
  applies: () => true,
  session: [textIn("metadata", ...sessions), ...sessions.map((name) => textAt(name))],
  user: [textIn("metadata", ...users), ...users.map((name) => textAt(name))],
  bookkeeping: [
    "agent_framework.",
    "anthropic.",
    "gcp.vertex.agent.event_id",
    "gcp.vertex.agent.invocation_id",
    "gcp.vertex.agent.session_id",
    "gen_ai.agent.id",
    "gen_ai.output.type",
    "gen_ai.provider.name",
    "gen_ai.request.choice.count",
    "gen_ai.system",
    "gen_ai.tool.call.id",
    "gen_ai.tool.type",
  ],
};

/** The same within the metadata that a program notes, where LangChain and LangGraph put their own. */
export const notedBookkeeping: readonly string[] = [
  "LANGSMITH_",
  "__pregel",
  "_type",
  "checkpoint_id",
  "checkpoint_ns",
  "conversation_id",
  "langgraph_",
  "lc_",
  "ls_",
  "session_id",
  "thread_id",
  "user_id",
];

const transport =
  /^(?:client|code|error\.type|http|messaging|net|network|peer|process|rpc|server|telemetry|thread|url|user_agent)(?:\.|$)/u;

/** How a span reached another process, and from which line: of a call of a model or a tool no part of what it did. */
export const isTransport = (key: string): boolean => transport.test(key);
