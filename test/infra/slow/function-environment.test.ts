import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { environmentFault } from "../../../infra/functions/environment-limit.ts";
import { readAssembly } from "../../../infra/local/template/template.ts";
import { operatorPrices } from "../../../lib/wiring/prices.ts";
import { synthesize } from "../synthesize.ts";

const pricesOf = (models: number) =>
  Object.fromEntries(
    Array.from({ length: models }, (_, index) => [
      `openrouter/maker/model-${index}`,
      { input: index + 0.25, output: 2 },
    ]),
  );

/** Functions with a setting in their environment, each with the directory of its code. */
const functionsWithVariable = (context: Record<string, unknown>, variable: string) => {
  const { template, assets } = readAssembly(synthesize(context).directory);
  return Object.entries(template.Resources).flatMap(([id, { Type, Properties = {} }]) => {
    if (Type !== "AWS::Lambda::Function") return [];
    const { Environment, Code } = Properties as {
      readonly Environment: { readonly Variables: Readonly<Record<string, string>> };
      readonly Code: { readonly S3Key: string };
    };
    return [{ id, value: Environment.Variables[variable], directory: assets.get(Code.S3Key) ?? "" }];
  });
};

describe("a setting that is written as JSON", () => {
  const prices = pricesOf(300);
  let functions: ReturnType<typeof functionsWithVariable>;
  beforeAll(() => {
    functions = functionsWithVariable({ prices }, "JUDGE_PRICES");
  });

  test("is in the variable while it is short", () => {
    const few = pricesOf(10);
    const withVariable = functionsWithVariable({ prices: few }, "JUDGE_PRICES").filter(
      ({ value }) => value !== undefined,
    );

    expect(withVariable.length).toBeGreaterThan(1);
    for (const { value, directory } of withVariable) {
      expect(JSON.parse(value ?? "")).toEqual(few);
      expect(existsSync(join(directory, "judge-prices.json"))).toBe(false);
    }
  });

  test("is in a file beside the bundle of each function that reads it, and of no other, when it is long", () => {
    const beside = functions.filter(({ directory }) => existsSync(join(directory, "judge-prices.json")));

    expect(beside.length).toBeGreaterThan(1);
    expect(beside.map(({ id }) => id)).toEqual(
      functions.filter(({ value }) => value !== undefined).map(({ id }) => id),
    );
    for (const { value, directory } of beside) {
      expect(value).toBe("file:judge-prices.json");
      expect(JSON.parse(readFileSync(join(directory, "judge-prices.json"), "utf8"))).toEqual(prices);
      expect(existsSync(join(directory, "index.mjs"))).toBe(true);
    }
  });

  test("is passed to all functions that store spans or list prices, when it is the price list of traces", () => {
    const tracePrices = [{ model: "llama-*", input: 1, output: 2 }];
    const withVariable = functionsWithVariable({ tracePrices }, "TRACE_PRICES").filter(
      ({ value }) => value !== undefined,
    );

    for (const { value } of withVariable) expect(JSON.parse(value ?? "")).toEqual(tracePrices);
    const names = withVariable.map(({ id }) => id.replace(/^ApiRoutes|[0-9A-F]{8}$/gu, ""));
    for (const name of ["createTrace", "createTraces", "createSpans", "updateSpan", "exportTraces", "listPrices"])
      expect(names.join(" ")).toContain(name);
  });

  test("with the models that may be asked is passed to all functions that name or ask a judge, where it is not the default", () => {
    const models = { judgeModels: ["priced", "openai/own-*"], judgeModel: "openai/own-judge" };
    const withVariable = functionsWithVariable(models, "JUDGE_MODELS").filter(({ value }) => value !== undefined);

    for (const { value } of withVariable)
      expect(JSON.parse(value ?? "")).toEqual([...models.judgeModels, "openai/own-judge"]);
    const names = withVariable.map(({ id }) => id).join(" ");
    const users = ["createTraceRun", "createSessionBatchRun", "createMonitor", "updateMonitor", "previewOwnMetric"];
    for (const name of [...users, "JudgeSlice"]) expect(names).toContain(name);
    expect(functionsWithVariable({}, "JUDGE_MODELS").every(({ value }) => value === undefined)).toBe(true);
  });

  test("may be a long list of audiences, too", () => {
    const audiences = Array.from({ length: 400 }, (_, index) => `client-${index}`);
    const jwt = { issuer: "https://issuer.example", jwksUri: "https://issuer.example/jwks", audiences };
    const withVariable = functionsWithVariable({ jwt }, "JWT_SETTINGS").filter(({ value }) => value !== undefined);

    expect(withVariable.map(({ id, value }) => [id.slice(0, 13), value])).toEqual([
      ["ApiAuthorizer", "file:jwt-settings.json"],
    ]);
    expect(JSON.parse(readFileSync(join(withVariable[0]?.directory ?? "", "jwt-settings.json"), "utf8"))).toEqual(jwt);
  });

  test("is read from the file that the variable names", () => {
    const withVariable = functions.find(({ value }) => value !== undefined);
    const prices = operatorPrices({ JUDGE_PRICES: `file:${join(withVariable?.directory ?? "", "judge-prices.json")}` });

    expect(prices.size).toBe(300);
    expect(prices.get("openrouter/maker/model-7")).toMatchObject({ input: 7.25, output: 2 });
  });

  test("with a missing file keeps the function from starting", () => {
    expect(() => operatorPrices({ JUDGE_PRICES: "file:nowhere.json" })).toThrow("ENOENT");
  });
});

describe("the environment of a function", () => {
  const withText = (bytes: number) => ({ A: "x".repeat(bytes - '{"A":""}'.length) });

  test("may have 4,096 bytes as one JSON text, and not one more", () => {
    expect(environmentFault("workers/some", withText(4_096), {})).toBeUndefined();
    expect(environmentFault("workers/some", withText(4_097), {})).toMatch(
      /^The environment of workers\/some has 4097 /u,
    );
  });

  test("is measured with its quotes escaped, as Lambda measures it", () => {
    expect(environmentFault("workers/some", { A: '"'.repeat(2_044) }, {})).toBeUndefined();
    expect(environmentFault("workers/some", { A: '"'.repeat(2_045) }, {})).toContain("has 4098 bytes");
  });

  test("has room for values that only the deployment knows", () => {
    const references = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`TABLE_${index}`, { Ref: "Table" }]));

    expect(environmentFault("workers/some", references(26), {})).toBeUndefined();
    expect(environmentFault("workers/some", references(27), {})).toContain("TABLE_");
  });

  test.each([
    [
      { judgeModel: `custom/${"x".repeat(4_000)}` },
      /The environment of api\/\S+ has \d+ bytes, more than Lambda's limit of 4096: the setting judgeModel \(JUDGE_MODEL\) is too long with 4009 bytes\./u,
    ],
    [
      { embeddingModel: `custom/${"x".repeat(4_000)}` },
      /of workers\/judge-slice has .* the setting embeddingModel \(EMBEDDING_MODEL\)/u,
    ],
    [
      { providers: { custom: { baseUrl: `/${"u".repeat(4_000)}` } } },
      /of api\/metrics\/list-providers has .* the setting providers \(JUDGE_PROVIDERS\)/u,
    ],
  ])(
    "that is too large is refused at synthesis, in a sentence that names function and setting: %#",
    (context, sentence) => {
      expect(() => synthesize(context)).toThrow(sentence);
    },
  );
});
