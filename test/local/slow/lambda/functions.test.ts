import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { accessKeyOf } from "../../../../infra/local/iam/access-key.ts";
import type { InvocationResult } from "../../../../infra/local/lambda/functions.ts";
import { eventually, startFixture, temporaryDirectory } from "../../../support/service/local-fixture.ts";

const parsed = (outcome: InvocationResult): unknown =>
  outcome.error === undefined ? JSON.parse(outcome.payload) : outcome.error;

/** Log of a function, as soon as it is not empty. */
const logOf = (directory: string, name: string): Promise<string> =>
  eventually(() => readFileSync(join(directory, "logs", `${name}.log`), "utf8") || undefined);

test("a function has its own environment variables and none of the shell's", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-secret");
  const { functions, endpoints } = await startFixture({
    functions: {
      One: { code: `export const handler = async () => process.env;`, environment: { MINE: "one" } },
      Two: { code: `export const handler = async () => process.env;` },
    },
  });

  const oneResult = parsed(await functions.invoke("One", {}));
  const two = parsed(await functions.invoke("Two", {}));

  expect(oneResult).toMatchObject({
    MINE: "one",
    AWS_ACCESS_KEY_ID: accessKeyOf("One"),
    AWS_LAMBDA_FUNCTION_NAME: "One",
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.DYNAMODB,
  });
  for (const name of ["MINE", "OPENAI_API_KEY", "PATH", "HOME"]) expect(two).not.toHaveProperty(name);
  expect(oneResult).not.toHaveProperty("OPENAI_API_KEY");
});

test.each([
  ["four", {}, 4],
  ["as many as are asked for", { sandboxesPerFunction: 2 }, 2],
])("concurrent calls of a function share its sandboxes: %s", async (_many, options, sandboxes) => {
  const code = `const id = crypto.randomUUID();
    export const handler = () => new Promise((done) => setTimeout(done, 50, id));`;
  const { functions } = await startFixture({ functions: { Each: { code } } }, temporaryDirectory(), options);

  const outcomes = await Promise.all(Array.from({ length: 6 }, () => functions.invoke("Each", {})));

  expect(new Set(outcomes.map(parsed)).size).toBe(sandboxes);
});

test("a function reads files beside its bundle, in the directory that Lambda names", async () => {
  const { functions } = await startFixture({
    functions: {
      Reader: {
        code: `import { readFileSync } from "node:fs";
          const text = readFileSync(process.env.LAMBDA_TASK_ROOT + "/prices.json", "utf8");
          export const handler = async () => JSON.parse(text);`,
        files: { "prices.json": '{"custom/llama":{"input":1,"output":2}}' },
      },
    },
  });

  const outcome = await functions.invoke("Reader", {});

  expect(parsed(outcome)).toEqual({ "custom/llama": { input: 1, output: 2 } });
});

test("a function that exceeds its time-out is stopped, its log says so, and the next call works", async () => {
  const directory = temporaryDirectory();
  const Slow = {
    code: `export const handler = ({ ms }) => new Promise((done) => setTimeout(done, ms, "done"));`,
    timeout: 1,
  };
  const { functions } = await startFixture({ functions: { Slow } }, directory);

  const timedOut = await functions.invoke("Slow", { ms: 5000 });
  const inTime = await functions.invoke("Slow", { ms: 1 });

  expect(timedOut.error?.errorMessage).toMatch(/Task timed out after 1.00 seconds$/);
  expect(parsed(inTime)).toBe("done");
  expect(await logOf(directory, "Slow")).toContain(timedOut.error?.errorMessage ?? "no error");
});

test("a function receives its name, its request id and its remaining time", async () => {
  const { functions } = await startFixture({
    functions: {
      Context: {
        code: `export const handler = async (event, context) => ({ ...context, left: context.getRemainingTimeInMillis() });`,
      },
    },
  });

  const outcome = await functions.invoke("Context", {});

  expect(parsed(outcome)).toMatchObject({
    awsRequestId: outcome.requestId,
    functionName: "Context",
    invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:Context",
  });
  expect((parsed(outcome) as { left: number }).left).toBeGreaterThan(9_000);
});

test("concurrent calls run in separate sandboxes, later calls in a warm one", async () => {
  const { functions } = await startFixture({
    functions: {
      Counts: {
        code: `const id = crypto.randomUUID(); let calls = 0;
          export const handler = async () => { calls += 1; await new Promise((r) => setTimeout(r, 150)); return { id, calls }; };`,
      },
    },
  });

  const both = await Promise.all([functions.invoke("Counts", {}), functions.invoke("Counts", {})]);
  const later = await functions.invoke("Counts", {});

  const [first, second] = both.map((outcome) => parsed(outcome) as { id: string; calls: number });
  expect(first?.id).not.toBe(second?.id);
  expect(parsed(later)).toMatchObject({ calls: 2 });
});

test("a bundle that does not load fails the call, and its error is in the function's log", async () => {
  const directory = temporaryDirectory();
  const { functions } = await startFixture(
    {
      functions: {
        Broken: { code: `throw new TypeError("no configuration");` },
        Talks: { code: `export const handler = async () => { console.log("heard"); };` },
      },
    },
    directory,
  );

  const outcome = await functions.invoke("Broken", {});
  await functions.invoke("Talks", {});

  expect(outcome.error).toMatchObject({ errorType: "TypeError", errorMessage: "no configuration" });
  expect(await logOf(directory, "Talks")).toContain("heard");
  expect(await logOf(directory, "Broken")).toContain("TypeError: no configuration");
});

test("a reply over 6 MB and an event over 6 MB are refused", async () => {
  const { functions } = await startFixture({
    functions: { Large: { code: `export const handler = async () => "x".repeat(7_000_000);` } },
  });

  const outcome = await functions.invoke("Large", {});

  expect(outcome.error?.errorType).toBe("Function.ResponseSizeTooLarge");
  await expect(functions.invoke("Large", { text: "x".repeat(6_291_556) })).rejects.toThrow("6291556");
});
