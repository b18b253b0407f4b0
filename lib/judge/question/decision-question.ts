import { array, object, string } from "valibot";
import type { PaidComplete, PaidDecide } from "../providers/connections.ts";
import { predicateText, type Predicate } from "../providers/provider.ts";

/** Statements for a decision model, with the system message that holds the rules and criteria. */
export interface DecisionQuestion {
  readonly system: string;
  readonly predicates: readonly Predicate[];
}

/** Answer of a decision model as a judge's answer: a number as text for each predicate, in their order, or `refused`. */
export const decisionAnswer = object({ probabilities: array(string()) });

/** Returns the probability in a text of an answer; null for a refused statement. */
export const probabilityIn = (text: string): number | null => (text === "refused" ? null : Number(text));

/** The statements as lines of text, for previews of a prompt and for its size. */
export const predicateLines = ({ predicates }: DecisionQuestion): string =>
  predicates.map((predicate) => `\n- ${predicate.name}: ${predicateText(predicate)}`).join("");

/**
 * Asks a decision model in the place of a chat model, so that retries, time-outs and budget are the same.
 *
 * @param notes delimited notes after the transcript; may be empty.
 */
export const decidedBy =
  (decide: PaidDecide, { system, predicates }: DecisionQuestion, notes: string): PaidComplete =>
  async ({ model, record, timeout }, permit) => {
    const state = [record, notes].filter((text) => text !== "").join("\n\n");
    const reply = await decide({ model, system, state, predicates, timeout }, permit);
    if (reply.kind === "failure") return reply;
    const probabilities = reply.probabilities.map((probability) => String(probability ?? "refused"));
    return { kind: "answer", text: JSON.stringify({ probabilities }), tokens: reply.tokens };
  };
