import type { Trace } from "../../../lib/domain/traces/trace.ts";
import type { Complete } from "../../../lib/judge/providers/provider.ts";
import { noTokens } from "../../../lib/prices/price.ts";
import type { JudgedMetric } from "../../../lib/judge/metric/metric.ts";
import { delimiters, lineCode } from "../../../lib/judge/transcript/delimiters.ts";
import { confidence } from "../../../lib/metrics/trace/confidence.ts";
import type { Random } from "../random.ts";
import { judgeAnsweredBy } from "./judge-answered-by.ts";
import { injectionsOf, type Injection } from "./injections.ts";

/** Result of a prompt injection attempt. */
export interface InjectionResult extends Injection {
  /** True if the text appeared outside of the markers or looked like a line of the transcript itself. */
  readonly escaped: boolean;
  /** True if the verdict of a judge that quoted only this text was marked as tampering. */
  readonly flagged: boolean;
}

/** Structural lines that a transcript may contain after the code. */
const structural =
  /^(?:Trace (?:status|input|output|metadata)\b|System rules:|User turn \d+ |#\d+ (?:[A-Z]+ [A-Z]+\b|input|output|error|metadata|parameters)|\[\d+(?:-\d+)?\] |\[\.\.\. )/u;

const outsideOf = (message: string, nonce: string): string => {
  const { begins, ends } = delimiters("RECORD", nonce);
  const [before = "", materialAndAfter = "", ...extraBeginnings] = message.split(`\n${begins}\n`);
  const [, after = "", ...extraEnds] = materialAndAfter.split(`\n${ends}`);
  return extraBeginnings.length + extraEnds.length > 0 ? message : `${before}\n${after}`;
};

/** True if an injected text broke out of the marked material in the message sent to the judge. */
const escapes = (message: string, harmless: string, nonce: string): boolean => {
  if (outsideOf(message, nonce) !== outsideOf(harmless, nonce)) return true;
  const transcriptLines = (text: string): readonly string[] =>
    text
      .split("\n")
      .map((line) => line.trimStart())
      .filter((line) => line.startsWith(`${lineCode(nonce)} `))
      .map((line) => line.slice(5));
  // The text may equal a structural line but must not add one.
  return (
    transcriptLines(message).some((line) => !structural.test(line)) ||
    transcriptLines(message).length !== transcriptLines(harmless).length
  );
};

const place = (trace: Trace, text: string, where: number): Trace => {
  if (where === 0) return { ...trace, input: text };
  if (where === 1) return { ...trace, output: { answer: text } };
  const [first, ...otherSpans] = trace.spans;
  return first === undefined ? trace : { ...trace, spans: [{ ...first, output: [text] }, ...otherSpans] };
};

/**
 * Puts injection texts into a trace and judges it with a judge that obeys any instruction outside of the markers and
 * quotes the text as evidence.
 * @param metric metric whose prompt shows the transcript.
 */
export const tryInjections = async (
  trace: Trace,
  random: Random,
  count: number,
  metric: JudgedMetric = confidence,
): Promise<readonly InjectionResult[]> => {
  const nonce = Array.from({ length: 32 }, () => random.below(16).toString(16)).join("");

  const judged = async (judgedTrace: Trace, quoted: string) => {
    let sentMessage = "";
    const complete: Complete = async ({ record, question }) => {
      sentMessage = `${record}\n\n${question}`;
      const answered = { evidence: [quoted], reason: "As the record says.", answer: "yes" };
      const names = metric.rubric?.statements.map(({ name }) => name) ?? [];
      const answer = { task: "A task.", statements: Object.fromEntries(names.map((name) => [name, answered])) };
      return { kind: "answer", text: JSON.stringify(answer), tokens: noTokens };
    };
    const target = judgeAnsweredBy(complete, judgedTrace, {
      nonce: () => nonce,
      metrics: new Map([[metric.name, metric]]),
    });
    const verdict = await target.score(metric.name, Date.now() + 60_000);
    return { sent: sentMessage, marked: verdict.metadata["tampering_suspected"] === true };
  };

  const harmless = new Map<number, string>();
  const results: InjectionResult[] = [];
  for (const injection of injectionsOf(random, nonce, count)) {
    const where = random.below(3);
    if (!harmless.has(where)) harmless.set(where, (await judged(place(trace, "harmless", where), "harmless")).sent);
    const { sent: sentMessage, marked } = await judged(place(trace, injection.text, where), injection.text);
    results.push({ ...injection, escaped: escapes(sentMessage, harmless.get(where) ?? "", nonce), flagged: marked });
  }
  return results;
};
