import { strictDialect, type Dialect } from "./dialect.ts";
import {
  failed,
  pictureLabel,
  type Completion,
  type CompletionRequest,
  type Failure,
  type Tokens,
} from "./provider.ts";
import { countOf, fieldsOf, listOf } from "./reply-fields.ts";
import { withSchemaText } from "./schema-text.ts";

/** What models of Bedrock are thought to take. */
export const converseDialect: Dialect = { ...strictDialect, format: "forced_tool", limit: "max_tokens", cache: true };

/** Makers whose models take a mark for what is to be cached: others refuse it. */
const cached = /(?:^|[./])(?:anthropic\.|amazon\.nova)/u;

/**
 * Whether a model is Claude. Foundation models and inference profiles carry the maker's name: `eu.anthropic.claude-...`. Its
 * schema is told by the question: tools stand before the messages, where another one would part the cache of the transcript,
 * and its newest models take no forced tool.
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

/** The body of a question in Bedrock's Converse. */
export const converseBody = (request: CompletionRequest, dialect: Dialect) => {
  const { model, system, record, outputTokens } = request;
  const format = isClaude(model) ? "text" : dialect.format;
  const withTool = format === "forced_tool" || format === "tool";
  const mark = dialect.cache && cached.test(model) ? [{ cachePoint: { type: "default" } }] : [];
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
          ...(record === "" ? [] : [{ text: record }, ...mark]),
          { text: withTool ? request.question : withSchemaText(request) },
        ],
      },
    ],
    inferenceConfig: {
      maxTokens: Math.min(outputTokens, dialect.mostTokens),
      ...(dialect.temperature && { temperature: 0 }),
    },
    ...(withTool && toolConfig(request, format === "forced_tool")),
  };
};

/** Bedrock counts what came from the cache and what went there apart from `inputTokens`. */
const tokensOf = (usage: unknown): Tokens => {
  const counts = fieldsOf(usage);
  const [read, written] = [countOf(counts["cacheReadInputTokens"]), countOf(counts["cacheWriteInputTokens"])];
  return {
    prompt: countOf(counts["inputTokens"]) + read + written,
    completion: countOf(counts["outputTokens"]),
    cached: read,
    written,
  };
};

const unusableEndings: Readonly<Record<string, Failure>> = {
  content_filtered: failed("judge_refused", { message: "The judge's provider filtered the answer." }),
  guardrail_intervened: failed("judge_refused", { message: "A guardrail of the judge's provider stepped in." }),
  max_tokens: failed("judge_truncated"),
  model_context_window_exceeded: failed("judge_truncated", {
    message: "The judge's answer passed the model's context window.",
  }),
};

/** What a reply of Converse says: the input of its tool, or its text, without what it thought. */
export const readConverse = (reply: unknown): Completion => {
  const { output, stopReason: ending, usage } = fieldsOf(reply);
  const tokens = tokensOf(usage);
  const unusable =
    typeof ending === "string" && Object.hasOwn(unusableEndings, ending) ? unusableEndings[ending] : undefined;
  if (unusable !== undefined) return { ...unusable, tokens };
  const blocks = listOf(fieldsOf(fieldsOf(output)["message"])["content"]).map(fieldsOf);
  const inputs = blocks.flatMap(({ toolUse }) => (toolUse === undefined ? [] : [fieldsOf(toolUse)["input"]]));
  if (inputs.length === 1) return { kind: "answer", text: JSON.stringify(inputs[0] ?? null), tokens };
  const texts = blocks.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  if (texts.length === 0 || inputs.length > 1) {
    return failed("judge_malformed", { message: "The judge's reply has no answer in it.", tokens });
  }
  return { kind: "answer", text: texts.join(""), tokens };
};
