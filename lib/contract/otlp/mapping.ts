/** Where a field of a span or trace comes from when spans come over OTLP. */
export interface MappedField {
  readonly field: string;
  /**
   * Attributes in the order in which they are looked for; `N` is a number, a `*` any ending. A name in parentheses is not an
   * attribute.
   */
  readonly from: readonly string[];
}

/** How spans of OpenTelemetry are read: the first that a span has is believed. */
export const otlpMapping: readonly MappedField[] = [
  {
    field: "kind",
    from: [
      "gen_ai.operation.name",
      "openinference.span.kind",
      "llm.request.type",
      "traceloop.span.kind",
      "ai.operationId",
    ],
  },
  {
    field: "model",
    from: [
      "gen_ai.response.model",
      "gen_ai.request.model",
      "llm.response.model_name",
      "llm.model_name",
      "llm.request.model_name",
      "embedding.model_name",
      "reranker.model_name",
      "llm.response.model",
      "llm.request.model",
      "ai.response.model",
      "ai.model.id",
    ],
  },
  {
    field: "input",
    from: [
      "gen_ai.input.messages",
      "gen_ai.tool.call.arguments",
      "gen_ai.retrieval.query.text",
      "(event gen_ai.client.inference.operation.details)",
      "(events gen_ai.system.message, gen_ai.user.message, gen_ai.assistant.message, gen_ai.tool.message)",
      "(event gen_ai.content.prompt)",
      "llm.input_messages.N.*",
      "input.value",
      "embedding.embeddings.N.embedding.text",
      "gen_ai.prompt.N.*",
      "gen_ai.prompt",
      "traceloop.entity.input",
      "ai.prompt.messages",
      "ai.prompt",
      "ai.toolCall.args",
      "ai.toolCall.input",
      "ai.value",
      "ai.values",
      "ai.documents",
    ],
  },
  {
    field: "output",
    from: [
      "gen_ai.output.messages",
      "gen_ai.tool.call.result",
      "gen_ai.retrieval.documents",
      "(event gen_ai.client.inference.operation.details)",
      "(event gen_ai.choice)",
      "(event gen_ai.content.completion)",
      "llm.output_messages.N.*",
      "retrieval.documents.N.*",
      "reranker.output_documents.N.*",
      "output.value",
      "gen_ai.completion.N.*",
      "gen_ai.completion",
      "traceloop.entity.output",
      "ai.response.text",
      "ai.response.object",
      "ai.toolCall.result",
      "ai.toolCall.output",
      "ai.ranking",
    ],
  },
  {
    field: "model_parameters (all that are set)",
    from: ["gen_ai.request.*", "llm.invocation_parameters", "ai.settings.*"],
  },
  {
    field: "model_parameters.tools",
    from: ["gen_ai.tool.definitions", "llm.tools.N.*", "llm.request.functions.N.*", "ai.prompt.tools"],
  },
  {
    field: "token_usage.prompt_tokens",
    from: [
      "gen_ai.usage.input_tokens",
      "llm.token_count.prompt",
      "gen_ai.usage.prompt_tokens",
      "llm.usage.prompt_tokens",
      "ai.usage.inputTokens",
      "ai.usage.promptTokens",
      "ai.usage.tokens",
    ],
  },
  {
    field: "token_usage.completion_tokens",
    from: [
      "gen_ai.usage.output_tokens",
      "llm.token_count.completion",
      "gen_ai.usage.completion_tokens",
      "llm.usage.completion_tokens",
      "ai.usage.outputTokens",
      "ai.usage.completionTokens",
    ],
  },
  {
    field: "token_usage.cache_read_tokens",
    from: [
      "gen_ai.usage.cache_read.input_tokens",
      "llm.token_count.prompt_details.cache_read",
      "gen_ai.usage.cache_read_input_tokens",
      "ai.usage.cachedInputTokens",
      "ai.usage.inputTokenDetails.cacheReadTokens",
    ],
  },
  {
    field: "token_usage.cache_write_tokens",
    from: [
      "gen_ai.usage.cache_creation.input_tokens",
      "llm.token_count.prompt_details.cache_write",
      "gen_ai.usage.cache_creation_input_tokens",
      "ai.usage.inputTokenDetails.cacheWriteTokens",
    ],
  },
  {
    field: "token_usage.reasoning_tokens",
    from: [
      "gen_ai.usage.reasoning.output_tokens",
      "llm.token_count.completion_details.reasoning",
      "gen_ai.usage.reasoning_tokens",
      "ai.usage.reasoningTokens",
      "ai.usage.outputTokenDetails.reasoningTokens",
    ],
  },
  { field: "cost.total", from: ["gen_ai.usage.cost", "llm.cost.total"] },
  {
    field: "name of a TOOL",
    from: ["gen_ai.tool.name", "tool.name", "traceloop.entity.name", "ai.toolCall.name", "(the span's name)"],
  },
  {
    field: "name of an AGENT",
    from: ["gen_ai.agent.name", "agent.name", "traceloop.entity.name", "ai.telemetry.functionId", "(the span's name)"],
  },
  {
    field: "name of a CHAIN",
    from: ["gen_ai.workflow.name", "traceloop.entity.name", "ai.telemetry.functionId", "(the span's name)"],
  },
  {
    field: "session_id of the trace",
    from: [
      "gen_ai.conversation.id",
      "session.id",
      "traceloop.association.properties.session_id",
      "ai.telemetry.metadata.sessionId",
      "ai.telemetry.metadata.session_id",
      "ai.settings.context.sessionId",
      "ai.settings.context.session_id",
    ],
  },
  {
    field: "user_id of the trace",
    from: [
      "user.id",
      "enduser.id",
      "traceloop.association.properties.user_id",
      "ai.telemetry.metadata.userId",
      "ai.telemetry.metadata.user_id",
      "ai.settings.context.userId",
      "ai.settings.context.user_id",
    ],
  },
  { field: "tags of the trace (of all spans)", from: ["tag.tags", "ai.telemetry.metadata.tags"] },
  {
    field: "environment of the trace",
    from: ["deployment.environment.name", "deployment.environment", "(both of the resource)"],
  },
  { field: "release of the trace", from: ["service.version", "(of the resource)"] },
  {
    field: "completion_start_time",
    from: [
      "(events gen_ai.first_token, First Token Stream Event, ai.stream.firstChunk, llm.content.completion.chunk)",
      "gen_ai.response.time_to_first_chunk",
      "gen_ai.client.operation.time_to_first_chunk",
      "ai.response.msToFirstChunk",
    ],
  },
  {
    field: "error",
    from: ["(events exception, with their stacks)", "(the status's message)", "error.message", "error.type"],
  },
  {
    field: "metadata (all that is set)",
    from: [
      "metadata",
      "traceloop.association.properties.*",
      "ai.telemetry.metadata.*",
      "ai.settings.context.*",
      "(every other attribute, by its own name)",
    ],
  },
];

const words = (name: string): string => (name.startsWith("(") ? name.slice(1, -1) : `\`${name}\``);

/** The mapping as a table in Markdown. */
export const otlpMappingTable: string = [
  "| Field | From the first of these that a span has |",
  "|---|---|",
  ...otlpMapping.map(({ field, from }) => `| ${field} | ${from.map(words).join(", ")} |`),
].join("\n");
