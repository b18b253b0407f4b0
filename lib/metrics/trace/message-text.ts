import { isObject, type Json } from "../../domain/json.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { conversationOf, finalAnswer } from "../../judge/transcript/conversation.ts";
import { textForm } from "./text-form.ts";

const answerKeys = ["answer", "output", "result", "response", "text", "content", "message", "completion"];

/** Returns the text of the user's last message; the whole input if the trace records no conversation. */
export const lastMessage = (trace: Trace): string => conversationOf(trace).turns.at(-1)?.text ?? textForm(trace.input);

/** Returns the text of the agent's final answer; the whole output if it has no recognisable answer. */
export const answerText = (output: Json): string => {
  const answer = finalAnswer(output);
  if (answer !== "") return answer;
  if (!isObject(output)) return textForm(output);
  const field = answerKeys.map((key) => output[key]).find((value) => typeof value === "string" && value !== "");
  return typeof field === "string" ? field : textForm(output);
};
