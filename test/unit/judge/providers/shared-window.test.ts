import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { failureOf, type Completion } from "../../../../lib/judge/providers/provider.ts";
import { withSharedWindow } from "../../../../lib/judge/providers/shared-window.ts";
import { noTokens } from "../../../../lib/prices/price.ts";
import { question } from "../completion-request.ts";

const answer: Completion = { kind: "answer", text: "{}", tokens: noTokens };
const fullWindow = failureOf("judge_bad_request", {
  hints: { subjects: new Set(), requiresFewerTokens: false, isPromptTooLong: true, windowUse: null },
  isWindowFull: true,
});

/** A server whose requests share a window for `room` of them: when more are in progress, all fail. Each takes ten seconds. */
const sharingServer = (room: number) => {
  let open: ((completion: Completion) => void)[] = [];
  let [clock, peak] = [0, 0];
  const endAll = (completion: Completion): void => {
    const ended = open;
    open = [];
    for (const end of ended) end(completion);
  };
  const complete = withSharedWindow(
    async () => {
      const { promise, resolve } = Promise.withResolvers<Completion>();
      open.push(resolve);
      peak = Math.max(peak, open.length);
      if (open.length > room) endAll(fullWindow);
      else {
        await setImmediate();
        clock += 10_000;
        endAll(answer);
      }
      return promise;
    },
    () => clock,
  );
  const ask = async (count: number, fields: object = {}) => {
    peak = 0;
    const completions = await Promise.all(Array.from({ length: count }, () => complete(question(fields))));
    return { completions, peak };
  };
  return ask;
};

const collision = { code: "judge_unavailable", hints: null };

test("requests that fill a window which they share may be retried, and go one by one from then on", async () => {
  const ask = sharingServer(1);

  expect(await ask(2)).toMatchObject({ completions: [collision, collision], peak: 2 });
  expect(await ask(4)).toEqual({ completions: [answer, answer, answer, answer], peak: 1 });
});

test("a request in its turn may be retried if it met an earlier one", async () => {
  const ends: ((completion: Completion) => void)[] = [];
  const complete = withSharedWindow(
    () => new Promise((resolve) => void ends.push(resolve)),
    () => 0,
  );
  const early = [complete(question()), complete(question())];
  ends[0]?.(fullWindow);
  await early[0];

  const inTurn = complete(question());
  await setImmediate();
  for (const end of ends) end(fullWindow);

  expect(await Promise.all([...early, inTurn])).toMatchObject([collision, collision, collision]);
});

test("requests that fit beside each other, and those of another model, go together", async () => {
  const ask = sharingServer(2);

  expect(await ask(2)).toEqual({ completions: [answer, answer], peak: 2 });
  await ask(3);
  expect(await ask(2, { model: "other" })).toEqual({ completions: [answer, answer], peak: 2 });
});

test("a request that fills the window alone is too long, also where others take turns", async () => {
  const ask = sharingServer(0);

  expect(await ask(1)).toMatchObject({ completions: [fullWindow] });
  await ask(2);
  expect(await ask(1)).toMatchObject({ completions: [fullWindow] });
});

test("a request whose turn comes too late is not sent, and costs nothing", async () => {
  const ask = sharingServer(1);
  await ask(2);

  expect(await ask(3, { timeout: 20_500 })).toMatchObject({
    completions: [answer, answer, { code: "judge_unavailable", isUnbilled: true }],
  });
});
