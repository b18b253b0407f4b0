import { expect, test } from "vitest";
import { paced } from "../../../lib/gateway-keys/control-plane.ts";

/** A clock that only waiting moves. */
const clock = () => {
  let time = 1_000;
  return {
    now: () => time,
    pause: async (milliseconds: number) => {
      time += milliseconds;
    },
  };
};

test("calls begin at even distances, the first one at once", async () => {
  const { now, pause } = clock();
  const pace = paced(4, now, pause);

  const begun = [];
  for (let call = 0; call < 4; call += 1) begun.push(await pace(async () => now()));

  expect(begun).toEqual([1_000, 1_250, 1_500, 1_750]);
});

test("time that passed unused is not caught up with", async () => {
  const { now, pause } = clock();
  const pace = paced(4, now, pause);
  await pace(async () => undefined);
  await pause(10_000);

  const begun = [await pace(async () => now()), await pace(async () => now())];

  expect(begun).toEqual([11_000, 11_250]);
});

test("a call that fails is paced like any other and fails as it did", async () => {
  const { now, pause } = clock();
  const pace = paced(4, now, pause);

  await expect(pace(() => Promise.reject(new Error("refused")))).rejects.toThrow("refused");

  expect(await pace(async () => now())).toBe(1_250);
});
