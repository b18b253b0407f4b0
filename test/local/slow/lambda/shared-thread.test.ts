import { expect, test } from "vitest";
import {
  atLeast,
  eventually,
  printedBy,
  startFixture,
  temporaryDirectory,
} from "../../../support/service/local-fixture.ts";

/** A handler that tells its environment, the number of calls of its instance, and the number of instances in its thread. */
const code = `
globalThis.instances = (globalThis.instances ?? 0) + 1;
let calls = 0;
export const handler = async () => {
  calls += 1;
  console.log(JSON.stringify({ printed: process.env.WHO }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { who: process.env.WHO, names: Object.keys(process.env).includes("WHO"), calls, instances: globalThis.instances };
};`;

test("functions that share a thread have an environment, a log and an instance of their own, and a killed one starts anew", async () => {
  const directory = temporaryDirectory();
  const functions = { One: { code, environment: { WHO: "one" } }, Two: { code, environment: { WHO: "two" } } };
  const stack = await startFixture({ functions }, directory, { sharedThreads: true });
  const call = async (name: string): Promise<unknown> => {
    const result = await stack.functions.invoke(name, {});
    return result.error ?? JSON.parse(result.payload);
  };

  const first = await call("One");
  const both = await Promise.all([call("One"), call("Two")]);
  const killed = stack.functions.kill("One");
  const afterKill = await call("One");

  expect(first).toEqual({ who: "one", names: true, calls: 1, instances: 1 });
  expect(both).toEqual([
    { who: "one", names: true, calls: 2, instances: 2 },
    { who: "two", names: true, calls: 1, instances: 2 },
  ]);
  expect([killed, afterKill]).toEqual([1, { who: "one", names: true, calls: 1, instances: 3 }]);
  const logOf = (name: string, count: number) => eventually(() => atLeast(printedBy(directory, name), count));
  expect(await logOf("Two", 1)).toEqual([{ printed: "two" }]);
  expect(await logOf("One", 3)).toEqual(Array.from({ length: 3 }, () => ({ printed: "one" })));
});
