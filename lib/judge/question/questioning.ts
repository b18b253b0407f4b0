import { ask, type Asked, type Pace } from "./ask.ts";
import type { AnswerSchema } from "./answer-schema.ts";
import { noTokens } from "../providers/completion.ts";
import type { Connect } from "../providers/connections.ts";
import { questionText, recordText, systemMessage, type Note } from "./prompt.ts";
import type { FailureCode } from "../verdict/verdict.ts";
import { warmUp } from "./warm-up.ts";

/** A question about a target. */
interface TargetQuestion {
  /** Name of the answer's schema: the metric's or the extraction's. */
  readonly name: string;
  readonly sees: "record" | "notes";
  readonly notes: readonly Note[];
  readonly question: string;
  readonly answer: AnswerSchema;
  /** Epoch milliseconds. */
  readonly deadline: number;
}

/** Puts questions about one target to its model. */
export type PutQuestion = (question: TargetQuestion) => Promise<Asked<unknown>>;

const unasked = (code: FailureCode, message: string): Asked<unknown> => ({
  kind: "failed",
  code,
  message,
  retryAfter: null,
  expense: { attempts: 0, tokens: noTokens, latency: 0 },
});

/**
 * All questions with the transcript begin with the same bytes, and the first of them runs alone: a provider caches a
 * prompt's beginning once it has read it.
 *
 * @param given the model as the run names it.
 * @param transcript made at the first question that needs it.
 */
export const questioning = (
  connect: Connect,
  pace: Pace,
  given: string,
  nonce: string,
  transcript: () => string,
): PutQuestion => {
  const alone = warmUp();
  const system = systemMessage(nonce);
  let fencedRecord: string | null = null;
  const record = (): string => (fencedRecord ??= recordText(nonce, transcript()));

  const put: PutQuestion = async ({ name, sees, notes, question, answer, deadline }) => {
    const connection = await connect(given).catch(() => null);
    if (connection === null) return unasked("judge_unavailable", "The judge's settings could not be read.");
    if (!connection.ready) return unasked("judge_auth", connection.message);
    const { complete, model, renewed } = connection;
    const text = { record: sees === "record" ? record() : "", question: questionText(nonce, notes, question) };
    const asked = await ask({ complete, model, name, system, ...text, answer, deadline }, pace);
    // An operator who changes a key must not find all pairs failed for the minutes in which the old one was remembered.
    if (asked.kind === "answered" || asked.code !== "judge_auth" || !(await renewed())) return asked;
    const message = "The provider's key was changed just now.";
    return { ...asked, code: "judge_unavailable", message, retryAfter: 0 };
  };
  return (question) => (question.sees === "record" ? alone(() => put(question)) : put(question));
};
