import { semaphore, type Semaphore } from "../../async/concurrency.ts";
import { failureOf, minCallTime, type Complete } from "./provider.ts";

const sharedWindowMessage = "The judge's server ran out of context, which its parallel requests share.";

/** Failure of a call whose turn came too late. */
const noTimeFailure = failureOf("judge_unavailable", {
  message: "The judge's server had no time for the call: calls of this model are made one by one.",
  isUnbilled: true,
});

/**
 * Makes the calls of a model one by one, for the process, once its server's window ran full while several were in progress: llama.cpp shares
 * one window among its parallel requests, and all of them fail. Such a call may be retried; one that fills the window alone is too long.
 *
 * @param now current time, epoch milliseconds.
 */
export const withSharedWindow = (complete: Complete, now: () => number): Complete => {
  const running = new Map<string, Set<{ isAlone: boolean }>>();
  const queues = new Map<string, Semaphore>();
  const completeBeside: Complete = async (request) => {
    const { model } = request;
    const others = running.get(model) ?? new Set();
    running.set(model, others);
    const call = { isAlone: others.size === 0 };
    for (const other of others) other.isAlone = false;
    others.add(call);
    const completion = await complete(request).finally(() => others.delete(call));
    if (completion.kind === "answer" || completion.isWindowFull !== true || call.isAlone) return completion;
    if (!queues.has(model)) queues.set(model, semaphore(1));
    return { ...completion, code: "judge_unavailable", message: sharedWindowMessage, hints: null };
  };
  return (request) => {
    const { model, timeout } = request;
    const inTurn = queues.get(model);
    if (inTurn === undefined) return completeBeside(request);
    const until = now() + timeout;
    return inTurn(async () => {
      const timeLeft = Math.min(timeout, until - now());
      return timeLeft < Math.min(timeout, minCallTime)
        ? noTimeFailure
        : completeBeside({ ...request, timeout: timeLeft });
    });
  };
};
