import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { noTokens, type Complete } from "../../../lib/judge/providers/provider.ts";
import type { JudgedMetric } from "../../../lib/judge/metric.ts";
import { delimiters, lineCode } from "../../../lib/judge/transcript/delimiters.ts";
import { confidence } from "../../../lib/metrics/trace/confidence.ts";
import type { Random } from "../random.ts";
import { judgeAnsweredBy } from "./judge-answered-by.ts";
import { injectionsOf, type Injection } from "./injections.ts";

/** What became of an injection. */
export interface Tried extends Injection {
  /** It stood outside of the marks, or passed for a line of the transcript's own. */
  readonly escaped: boolean;
  /** A judge that quoted nothing else was marked. */
  readonly flagged: boolean;
}

/** The lines that a transcript may have of its own, behind the code. */
const structural =
  /^(?:Trace (?:status|input|output|metadata)\b|System rules:|User turn \d+ |#\d+ (?:[A-Z]+ [A-Z]+\b|input|output|error|metadata|parameters)|\[\d+(?:-\d+)?\] |\[\.\.\. )/u;

const outsideOf = (message: string, nonce: string): string => {
  const { begins, ends } = delimiters("RECORD", nonce);
  const [before = "", rest = "", ...more] = message.split(`\n${begins}\n`);
  const [, after = "", ...again] = rest.split(`\n${ends}`);
  return more.length + again.length > 0 ? message : `${before}\n${after}`;
};

/** Whether a text got out of the material, seen from what the judge was sent. */
const escapes = (message: string, harmless: string, nonce: string): boolean => {
  if (outsideOf(message, nonce) !== outsideOf(harmless, nonce)) return true;
  const own = (text: string): readonly string[] =>
    text
      .split("\n")
      .map((line) => line.trimStart())
      .filter((line) => line.startsWith(`${lineCode(nonce)} `))
      .map((line) => line.slice(5));
  // A text may say the same as a line; it may not begin one more.
  return own(message).some((line) => !structural.test(line)) || own(message).length !== own(harmless).length;
};

const place = (trace: Trace, text: string, where: number): Trace => {
  if (where === 0) return { ...trace, input: text };
  if (where === 1) return { ...trace, output: { answer: text } };
  const [first, ...others] = trace.spans;
  return first === undefined ? trace : { ...trace, spans: [{ ...first, output: [text] }, ...others] };
};

/**
 * Puts texts that speak to the judge into a trace, and has it judged by one that obeys what stands outside of the marks and quotes
 * the text as its evidence.
 *
 * @param metric that is shown the record.
 */
export const tryInjections = async (
  trace: Trace,
  random: Random,
  count: number,
  metric: JudgedMetric = confidence,
): Promise<readonly Tried[]> => {
  const nonce = Array.from({ length: 32 }, () => random.below(16).toString(16)).join("");

  const judged = async (given: Trace, quoted: string) => {
    let sent = "";
    const complete: Complete = async ({ record, question }) => {
      sent = `${record}\n\n${question}`;
      const answered = { evidence: [quoted], reason: "As the record says.", answer: "yes" };
      const names = metric.rubric?.statements.map(({ name }) => name) ?? [];
      const answer = { task: "A task.", statements: Object.fromEntries(names.map((name) => [name, answered])) };
      return { kind: "answer", text: JSON.stringify(answer), tokens: noTokens };
    };
    const target = judgeAnsweredBy(complete, given, { nonce: () => nonce, metrics: new Map([[metric.name, metric]]) });
    const verdict = await target.score(metric.name, Date.now() + 60_000);
    return { sent, marked: verdict.metadata["tampering_suspected"] === true };
  };

  const harmless = new Map<number, string>();
  const tried: Tried[] = [];
  for (const injection of injectionsOf(random, nonce, count)) {
    const where = random.below(3);
    if (!harmless.has(where)) harmless.set(where, (await judged(place(trace, "harmless", where), "harmless")).sent);
    const { sent, marked } = await judged(place(trace, injection.text, where), injection.text);
    tried.push({ ...injection, escaped: escapes(sent, harmless.get(where) ?? "", nonce), flagged: marked });
  }
  return tried;
};
