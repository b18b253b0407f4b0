import { askModel, type QuestionOutcome, questionText, recordText, systemMessage, type Note } from "./ask-model.ts";
import { type CallTiming } from "./call-timing.ts";
import { strictJsonSchema, type AnswerSchema } from "./answer.ts";
import type { ServiceTier } from "../../domain/runs/tier.ts";
import type { Connect } from "../providers/connections.ts";
import { failureOf, type Failure, type Picture, type Sampling } from "../providers/provider.ts";
import { fittingShare } from "../providers/window.ts";
import { decidedBy, predicateLines, type DecisionQuestion } from "./decision-question.ts";
import type { CostOfCall, ModelCallBudget } from "../spending/call-budget.ts";
import { noExpense, addExpenses } from "../spending/expense.ts";
import { maxPictureTokens, sizeOfBytes, sizeOfText, sumOfSizes, type PromptSize } from "../spending/prompt-size.ts";

/** A question about one target trace. */
interface TargetQuestion {
  /** Name of the answer's schema: the metric's or extraction's name. */
  readonly name: string;
  readonly sees: "record" | "notes";
  readonly notes: readonly Note[];
  readonly question: string;
  readonly answer: AnswerSchema;
  /** Describes what a well-formed answer lacks, as a sentence; null for a complete answer. */
  readonly findFlaw: (answer: unknown) => string | null;
  readonly callBudget: ModelCallBudget;
  /** Latest end of the calls, epoch milliseconds. */
  readonly deadline: number;
  /** Statements for a decision model, and its system message; absent for a question to a chat model. */
  readonly decision?: DecisionQuestion;
}

/** The parts of a question that determine its prompt. */
type PromptParts = Pick<TargetQuestion, "sees" | "notes" | "question" | "answer" | "decision">;

/** Source of the transcript in a target's questions. */
interface TranscriptSource {
  /** Returns the transcript, rendered at the first call. */
  readonly text: () => string;
  /** Shortens the transcript to a share of its text, after a model refused it as too long; false if too little would be left. */
  readonly shorten: (part: number) => boolean;
}

/** Messages of a question to a judge model. */
export interface QuestionMessages {
  readonly system: string;
  readonly user: string;
}

/** Called before each call; returning false skips the question, except for retries. */
export type OnQuestion = (messages: QuestionMessages) => boolean;

/** Asks a question about one target. */
type AskQuestion = (question: TargetQuestion) => Promise<QuestionOutcome<unknown>>;

/** Asks the questions about one target. */
export interface TargetQuestions {
  readonly ask: AskQuestion;
  /**
   * Asks an extraction's question once and shares the answer among all metrics that need it. `isPayer` is true for the metric
   * that caused the call. Failures are not cached, so that a retried pair asks again.
   */
  readonly askOnce: (
    question: TargetQuestion,
  ) => Promise<{ readonly outcome: QuestionOutcome<unknown>; readonly isPayer: boolean }>;
  /** True if an extraction's question is answered or in progress. */
  readonly isAsked: (name: string) => boolean;
  /** Returns temperature and effort of the calls; null before the first call. */
  readonly sampling: () => Sampling | null;
  /** Computes the size of a question's prompt. */
  readonly sizeOf: (parts: PromptParts) => PromptSize;
}

const sizeOfSystemMessage = sizeOfText(systemMessage);

const withoutCall = (failure: Failure): QuestionOutcome<unknown> => ({
  ...failure,
  expense: noExpense,
});

/**
 * Runs a target's first call alone; later calls wait for its end, successful or not. A provider caches the prompt's beginning
 * only after it has read it: parallel first calls would each pay for the transcript.
 */
const firstAlone = (): (<T>(call: () => Promise<T>) => Promise<T>) => {
  let first: Promise<unknown> | null = null;
  return async (call) => {
    if (first !== null) {
      await first;
      return call();
    }
    const firstCall = call();
    first = firstCall.catch(() => null);
    return firstCall;
  };
};

/** Creates the cache of a target's extraction answers, by extraction name. */
const sharedExtractions = (ask: AskQuestion): Pick<TargetQuestions, "askOnce" | "isAsked"> => {
  const outcomes = new Map<string, Promise<QuestionOutcome<unknown>>>();
  const askOnce: TargetQuestions["askOnce"] = async (question) => {
    const { name } = question;
    const earlierOutcome = outcomes.get(name);
    if (earlierOutcome !== undefined) return { outcome: await earlierOutcome, isPayer: false };
    const pendingOutcome = ask(question);
    outcomes.set(name, pendingOutcome);
    try {
      const outcome = await pendingOutcome;
      if (outcome.kind !== "answered") outcomes.delete(name);
      return { outcome, isPayer: true };
    } catch (error) {
      outcomes.delete(name);
      throw error;
    }
  };
  return { askOnce, isAsked: (name) => outcomes.has(name) };
};

/**
 * Creates the questions about one target. All questions with the transcript begin with the same bytes, and the first of them
 * runs alone so that the provider can cache the transcript.
 *
 * @param modelName judge model as the run names it.
 * @param tier service tier of each question's first call.
 * @param effort reasoning effort; null for the model's default.
 * @param pictures pictures of the transcript.
 * @param onQuestion called before each first call, and before a retry whose text differs (the flaw of the first answer, or a
 *   shortened transcript).
 */
export const targetQuestions = (
  connect: Connect,
  timing: CallTiming,
  modelName: string,
  nonce: string,
  transcript: TranscriptSource,
  costOf: CostOfCall,
  tier: ServiceTier,
  effort: string | null,
  pictures: readonly Picture[],
  onQuestion: OnQuestion = () => true,
): TargetQuestions => {
  const runAlone = firstAlone();
  let cachedRecord: string | null = null;
  const record = (): string => (cachedRecord ??= recordText(nonce, transcript.text()));
  let sizeOfRecord: { readonly text: string; readonly size: PromptSize } | null = null;
  const sizeOfPrompt = (shownRecord: string, question: string, answer: AnswerSchema): PromptSize => {
    if (sizeOfRecord?.text !== shownRecord) sizeOfRecord = { text: shownRecord, size: sizeOfText(shownRecord) };
    return sumOfSizes(
      sizeOfBytes(shownRecord === "" ? 0 : pictures.length * maxPictureTokens),
      sizeOfSystemMessage,
      sizeOfRecord.size,
      sizeOfText(question),
      sizeOfText(JSON.stringify(strictJsonSchema(answer))),
    );
  };

  /** Ensures that the transcript is shorter than the one refused as too long; false if it cannot be. @param part share of it that fits. */
  const shorten = (refusedRecord: string, part: number): boolean => {
    if (refusedRecord !== "" && record() === refusedRecord && transcript.shorten(part)) cachedRecord = null;
    return refusedRecord !== "" && record() !== refusedRecord;
  };

  let hasRefusedPrompt = false;
  let currentSampling: () => Sampling | null = () => null;

  const askNow: AskQuestion = async (targetQuestion) => {
    const { name, sees, notes, question, answer, findFlaw, callBudget, deadline, decision } = targetQuestion;
    const system = decision?.system ?? systemMessage;
    const connection = await connect(modelName).catch(() => null);
    if (connection === null) {
      return withoutCall(failureOf("judge_unavailable", { message: "The judge's settings could not be read." }));
    }
    if (!connection.ready) return withoutCall(failureOf("judge_auth", { message: connection.message }));
    const { complete, decide, model, sampling, hasNewSettings, maxCallTime = timing.maxCallTime } = connection;
    currentSampling = () => sampling(effort);
    const text = questionText(nonce, sees, notes, question);
    const lines = decision === undefined ? "" : predicateLines(decision);
    const messages = (shownRecord: string, currentText = `${text}${lines}`): QuestionMessages => ({
      system,
      user: shownRecord === "" ? currentText : `${shownRecord}\n\n${currentText}`,
    });
    const askWith = (shownRecord: string) =>
      askModel(
        {
          complete: decision === undefined || decide === undefined ? complete : decidedBy(decide, decision, text),
          model,
          name,
          system,
          record: shownRecord,
          hasRefused: hasRefusedPrompt,
          pictures: sees === "record" ? pictures : [],
          size: () => sizeOfPrompt(shownRecord, `${text}${lines}${decision?.system ?? ""}`, answer),
          question: text,
          answer,
          findFlaw,
          effort,
          callBudget,
          tier,
          costOf,
          onRetry: (retryText) => void onQuestion(messages(shownRecord, retryText)),
          deadline,
        },
        { ...timing, maxCallTime },
      );
    const firstRecord = sees === "record" ? record() : "";
    if (!onQuestion(messages(firstRecord)))
      return withoutCall(failureOf("judge_unavailable", { message: "It was not asked." }));
    let outcome = await askWith(firstRecord);
    const hints = outcome.kind === "failure" ? outcome.hints : null;
    if (hints?.isPromptTooLong) hasRefusedPrompt = true;
    const others = system.length + text.length + lines.length;
    if (hints?.isPromptTooLong && shorten(firstRecord, fittingShare(hints.windowUse, firstRecord.length, others))) {
      onQuestion(messages(record()));
      const retry = await askWith(record());
      outcome = { ...retry, expense: addExpenses(outcome.expense, retry.expense) };
    }
    if (outcome.kind === "failure" && outcome.hints?.isPromptTooLong) {
      const lastRecord = sees === "record" ? record() : "";
      const [all, ofRecord] = [system.length + messages(lastRecord).user.length, lastRecord.length];
      const count = (characters: number): string => characters.toLocaleString("en");
      const sizes = `The last request had ${count(all)} characters, ${count(ofRecord)} of them for the record.`;
      outcome = { ...outcome, message: `${outcome.message} ${sizes}` };
    }
    // After a key change the old key stays cached for minutes: pairs refused meanwhile are retried instead of failed.
    if (outcome.kind !== "failure" || outcome.code !== "judge_auth" || !(await hasNewSettings())) return outcome;
    const message = "The provider's key was changed just now.";
    return { ...outcome, code: "judge_unavailable", message, retryAfter: 0 };
  };
  const ask: AskQuestion = (question) =>
    question.sees === "record" ? runAlone(() => askNow(question)) : askNow(question);
  const sizeOf: TargetQuestions["sizeOf"] = ({ sees, notes, question, answer, decision }) => {
    const text = questionText(nonce, sees, notes, question);
    const decisionText = decision === undefined ? "" : `${predicateLines(decision)}${decision.system}`;
    return sizeOfPrompt(sees === "record" ? record() : "", `${text}${decisionText}`, answer);
  };
  return { ask, ...sharedExtractions(ask), sampling: () => currentSampling(), sizeOf };
};
