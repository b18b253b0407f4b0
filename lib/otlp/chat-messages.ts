import type { Json, JsonObject } from "../domain/json.ts";
import { withoutEmpty } from "./chat-message.ts";
import { messagesOf } from "./payloads/messages.ts";
import { calledIn } from "./payloads/parts.ts";
import { isList, isObject, structured } from "./reader.ts";

/** Messages of the flattened forms as chat messages; what is none of them stays as it is. */
const plain = (message: Json): readonly Json[] => messagesOf([message]) ?? [message];

/** A message that Traceloop and the earlier GenAI conventions flattened: calls of tools are `{id, name, arguments}`. */
export const messagesOfPrompt = (value: Json): readonly Json[] => {
  if (!isObject(value)) return [value];
  const { content, ...others } = value;
  const said = { ...others, ...(content !== undefined && { content: structured(content) }) };
  // A completion may tell nothing but the call that was asked for.
  return plain(
    value["role"] === undefined && value["function_call"] !== undefined ? { role: "assistant", ...said } : said,
  );
};

const inside = (value: Json, name: string): Json =>
  isObject(value) && value[name] !== undefined ? value[name] : value;

const callIn = (call: Json): Json => calledIn(inside(call, "tool_call"));

/** What functions answered, which some put beside the message. */
const answers = (value: Json): readonly JsonObject[] =>
  (isList(value) ? value : []).flatMap((each) => {
    const answer = structured(each);
    if (!isObject(answer)) return [];
    const { content, call_id: id, name, is_error: failed } = answer;
    return [
      withoutEmpty({
        role: "tool",
        tool_call_id: id ?? null,
        name: name ?? null,
        content: structured(content ?? null),
        ...(failed === true && { is_error: true }),
      }),
    ];
  });

/** A message that OpenInference flattened: every object in it is wrapped in its own name. */
export const messagesOfOpenInference = (value: Json): readonly Json[] => {
  const message = inside(value, "message");
  if (!isObject(message)) return [message];
  if (isObject(value) && value["function"] !== undefined && message["content"] === undefined)
    return answers(value["function"]);
  const {
    contents,
    content,
    tool_calls: calls,
    function_call_name: name,
    function_call_arguments_json: given,
    ...others
  } = message;
  const parts = isList(contents) ? contents : [];
  const inParts = parts.flatMap((part) =>
    isObject(part) && part["tool_call"] !== undefined ? [part["tool_call"]] : [],
  );
  const legacy = name === undefined ? [] : [{ name, arguments: given ?? null }];
  const asked = (isList(calls) ? calls : [...inParts, ...legacy]).map(callIn);
  const said = content ?? (isList(contents) ? parts.map((part) => inside(part, "message_content")) : undefined);
  return plain({
    ...others,
    ...(said !== undefined && { content: others["role"] === "tool" ? structured(said) : said }),
    ...(asked.length > 0 && { tool_calls: asked }),
  });
};
