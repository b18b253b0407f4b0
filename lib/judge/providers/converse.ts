import { strictDialect, type Dialect } from "./dialect.ts";
import { failureOf, pictureLabel, type Completion, type CompletionRequest, type Failure } from "./provider.ts";
import type { Tokens } from "../../prices/tokens.ts";
import { countOf, fieldsOf, listOf } from "./reply-fields.ts";
import { withSchemaText } from "./schema-text.ts";

/** Initial request dialect of Bedrock's models. */
export const converseDialect: Dialect = {
  ...strictDialect,
  format: "forced_tool",
  limit: "max_tokens",
  marksCache: true,
};

/** Model ids of makers that accept a cache breakpoint; others refuse it. */
const acceptsBreakpoint = /(?:^|[./])(?:anthropic\.|amazon\.nova)/u;

/**
 * True for Claude models; foundation models and inference profiles name the maker, such as `eu.anthropic.claude-...`. Claude's
 * question contains the schema as text: a tool precedes the messages, so that each metric's tool would invalidate the cached
 * transcript, and its newest models refuse a forced tool.
 */
const isClaude = (model: string): boolean => /(?:^|[./])anthropic\./u.test(model);

const toolConfig = (
  { schemaName, schema }: Pick<CompletionRequest, "schemaName" | "schema">,
  isForced: boolean,
): Readonly<Record<string, unknown>> => ({
  toolConfig: {
    tools: [{ toolSpec: { name: schemaName, description: "Gives the answer.", inputSchema: { json: schema } } }],
    ...(isForced && { toolChoice: { tool: { name: schemaName } } }),
  },
});

/** Builds the body of a question for Bedrock's Converse API. */
export const converseBody = (request: CompletionRequest, dialect: Dialect) => {
  const { model, system, record, outputTokens } = request;
  const format = isClaude(model) ? "text" : dialect.format;
  const withTool = format === "forced_tool" || format === "tool";
  const breakpoint = dialect.marksCache && acceptsBreakpoint.test(model) ? [{ cachePoint: { type: "default" } }] : [];
  return {
    system: [{ text: system }],
    messages: [
      {
        role: "user",
        content: [
          ...(request.pictures ?? []).flatMap(({ type, data }, index) => [
            { text: pictureLabel(index) },
            { image: { format: type.slice("image/".length), source: { bytes: data } } },
          ]),
          ...(record === "" ? [] : [{ text: record }, ...breakpoint]),
          { text: withTool ? request.question : withSchemaText(request) },
        ],
      },
    ],
    inferenceConfig: {
      maxTokens: Math.min(outputTokens, dialect.maxTokens),
      ...(dialect.takesTemperature && { temperature: 0 }),
    },
    ...(withTool && toolConfig(request, format === "forced_tool")),
  };
};

/** Reads the token counts; Bedrock's `inputTokens` excludes tokens read from and written to the cache. */
const tokensOf = (usage: unknown): Tokens => {
  const counts = fieldsOf(usage);
  const [cached, written] = [countOf(counts["cacheReadInputTokens"]), countOf(counts["cacheWriteInputTokens"])];
  return {
    prompt: countOf(counts["inputTokens"]) + cached + written,
    completion: countOf(counts["outputTokens"]),
    cached,
    written,
  };
};

const unusableEndings: Readonly<Record<string, Failure>> = {
  content_filtered: failureOf("judge_refused", { message: "The judge's provider filtered the answer." }),
  guardrail_intervened: failureOf("judge_refused", { message: "A guardrail of the judge's provider stepped in." }),
  max_tokens: failureOf("judge_truncated"),
  model_context_window_exceeded: failureOf("judge_truncated", {
    message: "The judge's answer passed the model's context window.",
  }),
};

/** Reads a reply of Converse: the input of its tool call, or its text without reasoning. */
export const readConverse = (reply: unknown): Completion => {
  const { output, stopReason: ending, usage } = fieldsOf(reply);
  const tokens = tokensOf(usage);
  const failure =
    typeof ending === "string" && Object.hasOwn(unusableEndings, ending) ? unusableEndings[ending] : undefined;
  if (failure !== undefined) return { ...failure, tokens };
  const blocks = listOf(fieldsOf(fieldsOf(output)["message"])["content"]).map(fieldsOf);
  const inputs = blocks.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [fieldsOf(toolUse)["input"]]));
  if (inputs.length === 1) return { kind: "answer", text: JSON.stringify(inputs[0] ?? null), tokens };
  const texts = blocks.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  if (texts.length === 0 || inputs.length > 1) {
    return failureOf("judge_malformed", { message: "The judge's reply has no answer in it.", tokens });
  }
  return { kind: "answer", text: texts.join(""), tokens };
};
