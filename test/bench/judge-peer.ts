import { mergeTrace } from "../../lib/domain/traces/merge.ts";
import type { IdentifiedTrace } from "../../lib/domain/traces/input.ts";
import { questionText, recordText, systemMessage } from "../../lib/judge/question/ask-model.ts";
import { renderTranscript } from "../../lib/judge/transcript/transcript.ts";
import { confidence } from "../../lib/metrics/trace/confidence.ts";
import type { JudgeProcess, Measured } from "./judge-process.ts";
import type { JudgeRun } from "./judge-speed.ts";
import { startMockJudge } from "./mock-judge.ts";

const nonce = "0".repeat(32);
/** Maximum characters of a transcript, as in the service's judge. */
const budget = 60_000;

/** The service's confidence prompt for a trace, as one text. */
export const promptOf = (trace: IdentifiedTrace): string => {
  const { text } = renderTranscript(mergeTrace(null, trace), budget);
  return [systemMessage, recordText(nonce, text), questionText(nonce, "record", [], confidence.question)].join("\n\n");
};

/**
 * Measures the same judgements in a separate process that stores nothing, with the mock judge outside of it.
 * @param peer process of `peers/judge-autoevals.ts` or `beside/judge-alone.ts`.
 * @param inputOf what the process reads for each trace: a prepared prompt, or the trace.
 */
export const measurePeer = async (
  peer: JudgeProcess,
  { traces, copies, latency, calls, flags }: JudgeRun & { readonly latency: number },
  inputOf: (trace: IdentifiedTrace) => unknown,
): Promise<Measured> => {
  const mock = await startMockJudge(latency);
  try {
    const environment = {
      BENCH_CALLS: String(calls),
      BENCH_COPIES: String(copies),
      BENCH_JUDGE: mock.url,
    };
    return await peer.run(environment, JSON.stringify(traces.map(inputOf)), flags);
  } finally {
    await mock.close();
  }
};
