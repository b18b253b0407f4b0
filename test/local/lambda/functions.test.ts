import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { accessKeyOf } from "../../../infra/local/iam/access-key.ts";
import type { Outcome } from "../../../infra/local/lambda/functions.ts";
import { eventually, startFixture, temporaryDirectory } from "../../support/service/local-fixture.ts";

const parsed = (outcome: Outcome): unknown =>
  outcome.error === undefined ? JSON.parse(outcome.payload) : outcome.error;

/** What a function's log has, once it has anything. */
const logOf = (directory: string, name: string): Promise<string> =>
  eventually(() => readFileSync(join(directory, "logs", `${name}.log`), "utf8") || undefined);

test("a function sees its own variables and nothing of the shell's", async () => {
  vi.stubEnv("OPENAI_API_KEY", "sk-secret");
  const { functions, endpoints } = await startFixture({
    functions: {
      One: { code: `export const handler = async () => process.env;`, environment: { MINE: "one" } },
      Two: { code: `export const handler = async () => process.env;` },
    },
  });

  const one = parsed(await functions.invoke("One", {}));
  const two = parsed(await functions.invoke("Two", {}));

  expect(one).toMatchObject({
    MINE: "one",
    AWS_ACCESS_KEY_ID: accessKeyOf("One"),
    AWS_LAMBDA_FUNCTION_NAME: "One",
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.DYNAMODB,
  });
  for (const name of ["MINE", "OPENAI_API_KEY", "PATH", "HOME"]) expect(two).not.toHaveProperty(name);
  expect(one).not.toHaveProperty("OPENAI_API_KEY");
});

test.each([
  ["four", {}, 4],
  ["as many as are asked for", { sandboxesPerFunction: 2 }, 2],
])("calls of a function that come at once share its sandboxes: %s", async (_many, options, sandboxes) => {
  const code = `const id = crypto.randomUUID();
    export const handler = () => new Promise((done) => setTimeout(done, 50, id));`;
  const { functions } = await startFixture({ functions: { Each: { code } } }, temporaryDirectory(), options);

  const outcomes = await Promise.all(Array.from({ length: 6 }, () => functions.invoke("Each", {})));

  expect(new Set(outcomes.map(parsed)).size).toBe(sandboxes);
});

test("a function reads what lies beside its bundle", async () => {
  const { functions } = await startFixture({
    functions: {
      Reader: {
        code: `import { readFileSync } from "node:fs";
          const text = readFileSync(new URL("prices.json", import.meta.url), "utf8");
          export const handler = async () => JSON.parse(text);`,
        files: { "prices.json": '{"custom/llama":{"input":1,"output":2}}' },
      },
    },
  });

  const outcome = await functions.invoke("Reader", {});

  expect(parsed(outcome)).toEqual({ "custom/llama": { input: 1, output: 2 } });
});

test("a function that runs past its time-out is ended, its log says so, and the next call works", async () => {
  const directory = temporaryDirectory();
  const Slow = {
    code: `export const handler = ({ ms }) => new Promise((done) => setTimeout(done, ms, "done"));`,
    timeout: 1,
  };
  const { functions } = await startFixture({ functions: { Slow } }, directory);

  const late = await functions.invoke("Slow", { ms: 5000 });
  const inTime = await functions.invoke("Slow", { ms: 1 });

  expect(late.error?.errorMessage).toMatch(/Task timed out after 1.00 seconds$/);
  expect(parsed(inTime)).toBe("done");
  expect(await logOf(directory, "Slow")).toContain(late.error?.errorMessage ?? "no error");
});

test("a function is told its name, its request and the time it has left", async () => {
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

test("calls at the same time run in sandboxes of their own, later calls in a warm one", async () => {
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

test("a bundle that does not load is the call's error, and goes to the function's log", async () => {
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
