import { expect, test } from "vitest";
import { rateLimiter } from "../../../lib/gateway-keys/control-plane.ts";

/** A clock that advances only by waiting. */
const clock = () => {
  let time = 1_000;
  return {
    now: () => time,
    pause: async (milliseconds: number) => {
      time += milliseconds;
    },
  };
};

test("calls begin at equal intervals, the first one at once", async () => {
  const { now, pause } = clock();
  const pace = rateLimiter(4, now, pause);

  const startTimes = [];
  for (let call = 0; call < 4; call += 1) startTimes.push(await pace(async () => now()));

  expect(startTimes).toEqual([1_000, 1_250, 1_500, 1_750]);
});

test("unused time is not caught up", async () => {
  const { now, pause } = clock();
  const pace = rateLimiter(4, now, pause);
  await pace(async () => undefined);
  await pause(10_000);

  const startTimes = [await pace(async () => now()), await pace(async () => now())];

  expect(startTimes).toEqual([11_000, 11_250]);
});

test("a call that fails is paced like any other and fails with its own error", async () => {
  const { now, pause } = clock();
  const pace = rateLimiter(4, now, pause);

  await expect(pace(() => Promise.reject(new Error("refused")))).rejects.toThrow("refused");

  expect(await pace(async () => now())).toBe(1_250);
});
