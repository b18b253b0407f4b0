import { hostAt, labelAt, textIn } from "./attributes/reader.ts";
import type { Convention } from "./convention.ts";

const [sessions, users] = [
  ["session_id", "thread_id", "conversation_id"] as const,
  ["user_id", "end_user_id"] as const,
];

/**
 * Attributes without a convention that many programs use, such as `session_id` and `user_id`, and bookkeeping attributes that
 * frameworks add to spans of any convention.
 */
export const general: Convention = {
  applies: () => true,
  // Clients of OpenAI's protocol name OpenAI as the provider of any server.
  modelHost: [
    "server.address",
    "gen_ai.openai.api_base",
    "llm.openai.api_base",
    "gen_ai.provider.name",
    "gen_ai.system",
    "llm.provider",
    "ai.model.provider",
    "langsmith.metadata.ls_provider",
  ].map(hostAt),
  session: [textIn("metadata", ...sessions), ...sessions.map(labelAt)],
  user: [textIn("metadata", ...users), ...users.map(labelAt)],
  bookkeeping: [
    "agent.name",
    "agent_framework.",
    "anthropic.",
    "braintrust.parent",
    "gcp.vertex.agent.event_id",
    "gcp.vertex.agent.invocation_id",
    "gcp.vertex.agent.session_id",
    "gen_ai.agent.id",
    "gen_ai.agent.name",
    "gen_ai.output.type",
    "gen_ai.provider.name",
    "gen_ai.request.choice.count",
    "gen_ai.response.system_fingerprint",
    "gen_ai.system",
    "gen_ai.tool.call.id",
    "gen_ai.tool.description",
    "gen_ai.tool.type",
    "gen_ai.workflow.name",
  ],
};

/** Bookkeeping keys in a program's metadata, most of them of LangChain and LangGraph. A name that ends with `_` is a prefix. */
export const metadataBookkeeping: readonly string[] = [
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

/** True for attributes of network transport and source code, which are bookkeeping in spans of model and tool calls. */
export const isTransportAttribute = (key: string): boolean => transport.test(key);

/** Names of span events at the first token of a reply. */
export const firstTokenEvents: ReadonlySet<string> = new Set([
  "gen_ai.first_token",
  "First Token Stream Event",
  "ai.stream.firstChunk",
  "llm.content.completion.chunk",
  "new_token",
]);
