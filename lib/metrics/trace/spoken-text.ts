import { isObject, type Json } from "../../domain/json.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { conversationOf, finalAnswer } from "../../judge/transcript/conversation.ts";
import { textForm } from "./text-form.ts";

const answerKeys = ["answer", "output", "result", "response", "text", "content", "message", "completion"];

/** What the user said last, without what it is wrapped in; the whole input where no turn can be told. */
export const lastMessage = (trace: Trace): string => conversationOf(trace).turns.at(-1)?.text ?? textForm(trace.input);

/** What the agent answered in the end, without what it is wrapped in; the whole output where no answer can be told. */
export const answerText = (output: Json): string => {
  const said = finalAnswer(output);
  if (said !== "") return said;
  if (!isObject(output)) return textForm(output);
  const found = answerKeys.map((key) => output[key]).find((each) => typeof each === "string" && each !== "");
  return typeof found === "string" ? found : textForm(output);
};
