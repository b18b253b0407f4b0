import { ParameterNotFound, type GetParameterCommand } from "@aws-sdk/client-ssm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modelId, resolveModel } from "../../../../lib/domain/runs/model.ts";
import { createEmbedConnection, providerClients } from "../../../../lib/judge/providers/connections.ts";
import { deployedJudge } from "../../../../lib/wiring/judge.ts";
import { parameterReader } from "../../../../lib/parameters/parameters.ts";
import type { ParameterNames } from "../../../../lib/judge/providers/provider-settings.ts";
import { startFakeJudge, type FakeJudge } from "../../../support/runs/fake-judge.ts";
import { surroundings } from "../completion-request.ts";
import { error, good } from "../behaviours.ts";
import { judgeOf, secret } from "../fixtures.ts";

let fake: FakeJudge;
beforeAll(async () => {
  fake = await startFakeJudge();
});
afterAll(() => fake.close());

const key = "/assay/prod/judge/openai/key";
const serverAt = (url: string): string =>
  `Its server speaks OpenAI's protocol: store its base URL (${url}) for the provider custom, and name the model`;

const providerNames =
  "openai, anthropic, gemini, vertex_ai, bedrock, openrouter, custom, openai-decisions, systemone, offline";
const names = { openai: { key }, offline: { baseUrl: "/assay/prod/judge/offline/base-url" } };
const parameterClient = (values: Readonly<Record<string, string>>) =>
  judgeOf(fake, { providers: names, parameter: async (name) => values[name] });

describe("a model", () => {
  test.each([
    ["openai/gpt-5", "openai", "gpt-5"],
    ["openrouter/meta/llama-4", "openrouter", "meta/llama-4"],
    ["gpt-5-mini", "openai", "gpt-5-mini"],
    ["o1-pro", "openai", "o1-pro"],
    ["o3-mini", "openai", "o3-mini"],
    ["claude-sonnet-5", "anthropic", "claude-sonnet-5"],
    ["gemini-3-pro", "gemini", "gemini-3-pro"],
  ])("%s is served by %s as %s", (modelName, provider, name) => {
    expect(resolveModel(modelName)).toEqual({ provider, name });
    expect(modelId({ provider, name })).toBe(`${provider}/${name}`);
  });

  test.each(["", "/", "openai/", "/gpt-5", "llama", "gpt-", "GPT-5", "claude"])("%j is no valid model", (modelName) => {
    expect(resolveModel(modelName)).toBeNull();
  });
});

describe("readiness", () => {
  test.each([
    ["openai/gpt-5", {}, `Provider 'OpenAI' is not configured: store its API key in the SSM parameter ${key}.`],
    [
      "openai/gpt-5",
      { [key]: " \n" },
      `Provider 'OpenAI' is not configured: store its API key in the SSM parameter ${key}.`,
    ],
    [
      "openai/gpt-5",
      { [key]: "two words" },
      `Provider 'OpenAI' is not configured: the SSM parameter ${key} does not hold a key.`,
    ],
    [
      "offline/rules",
      {},
      "Provider 'Offline rules' is not configured: it is the local runtime's own judge, whose address is in the SSM parameter /assay/prod/judge/offline/base-url there.",
    ],
    [
      "offline/rules",
      { [names.offline.baseUrl]: "file:///etc/passwd" },
      "Provider 'Offline rules' is not configured: the SSM parameter /assay/prod/judge/offline/base-url does not hold a URL.",
    ],
    [
      "anthropic/claude-x",
      {},
      "Provider 'Anthropic' is not configured: this deployment's setting 'providers' does not name 'anthropic'.",
    ],
    ["other/gpt-5", {}, `Provider 'other' is not known here. Known providers: ${providerNames}.`],
    [
      "azure/gpt-5",
      {},
      `Provider 'azure' is not known here. ${serverAt("https://<resource>.openai.azure.com/openai/v1")} custom/gpt-5.`,
    ],
    [
      "Mistral_AI/large",
      {},
      `Provider 'Mistral_AI' is not known here. ${serverAt("https://api.mistral.ai/v1")} custom/large.`,
    ],
    [
      "ollama/llama3:8b",
      {},
      `Provider 'ollama' is not known here. ${serverAt("http://127.0.0.1:11434/v1")} custom/llama3:8b.`,
    ],
    ["constructor/x", {}, `Provider 'constructor' is not known here. Known providers: ${providerNames}.`],
    ["nonsense", {}, "The judge model 'nonsense' is not of the form <provider>/<model>."],
  ])("of %s with %j says what to do", async (model, values, message) => {
    expect(await parameterClient(values).judge.readiness(model)).toEqual({ ready: false, message });
  });

  test("is true once the API key is stored, with or without a final line break", async () => {
    expect(await parameterClient({ [key]: `${secret}\n` }).judge.readiness("openai/gpt-5")).toEqual({ ready: true });
  });

  test("is false with a reason when the deployment names no parameter", async () => {
    const { judge } = judgeOf(fake, { providers: { openai: {}, bedrock: {} } });

    expect(await judge.readiness("openai/gpt-5")).toMatchObject({
      message: expect.stringContaining("names no key parameter"),
    });
    expect(await judge.readiness("bedrock/openai.gpt-oss-20b-1:0")).toEqual({ ready: true });
  });

  test("is false with the reason for a model that must not be asked, which is never called", async () => {
    const modelRefusal = (model: string) => (model === "openai/gpt-99" ? "It may not be asked." : null);
    const { judge } = judgeOf(fake, { modelRefusal });

    expect(await judge.readiness("openai/gpt-99")).toEqual({ ready: false, message: "It may not be asked." });
    expect(await judge.readiness("openai/gpt-5")).toEqual({ ready: true });
  });

  test("rejects when the settings cannot be read, because that does not depend on the provider", async () => {
    const { judge } = judgeOf(fake, { parameter: () => Promise.reject(new Error("throttled")) });

    await expect(judge.readiness("openai/gpt-5")).rejects.toThrow("throttled");
  });
});

describe("judging with a provider", () => {
  test("that is not configured fails without a call and says what to do", async () => {
    const { judge, request, deadline } = parameterClient({});
    fake.script();

    const verdict = await judge.target({ ...request, model: "openai/gpt-5" }).score("task_completion", deadline());

    expect(verdict).toMatchObject({
      kind: "failed",
      code: "judge_auth",
      reason: expect.stringContaining(key),
      metadata: { attempts: 0 },
    });
    expect(fake.calls).toHaveLength(0);
  });

  test("whose key was changed a moment ago is retried with the new key instead of failing", async () => {
    let key = "sk-old-0123456789";
    const parameters = new Map<string, string>();
    const { score } = judgeOf(fake, {
      providers: { openai: { key: "/key", baseUrl: "/base-url" } },
      parameter: async (name, options) => {
        if (name === "/base-url") return fake.url;
        if (options?.fresh === true || !parameters.has(name)) parameters.set(name, key);
        return parameters.get(name);
      },
    });
    fake.script((response, call) =>
      call.headers.authorization === "Bearer sk-new-0123456789" ? good(response, call) : error(401)(response, call),
    );

    const firstOutcome = await score();
    key = "sk-new-0123456789";
    const changed = await score();
    const secondOutcome = await score();

    expect(firstOutcome).toMatchObject({ kind: "failed", code: "judge_auth" });
    expect(changed).toMatchObject({ kind: "deferred", retryAfter: 0, metadata: { attempts: 1 } });
    expect(secondOutcome).toMatchObject({ kind: "scored" });
  });

  test("whose settings cannot be read is retried later, without the error's text", async () => {
    const { score } = judgeOf(fake, { parameter: () => Promise.reject(new Error(secret)) });

    const verdict = await score();

    expect(verdict).toMatchObject({ kind: "deferred", reason: "The judge's settings could not be read." });
    expect(JSON.stringify(verdict)).not.toContain(secret);
  });
});

describe("the embedding model", () => {
  const connection = (model: string | null, providers: ParameterNames = { openai: { key, baseUrl: "/url" } }) =>
    createEmbedConnection(
      providerClients(providers, async (name) => (name === key ? secret : undefined), surroundings()),
      model,
    )();

  test.each([
    [null, "give this deployment the setting 'embeddingModel'"],
    ["nonsense", "is not of the form <provider>/<model>"],
    ["azure/x", "Provider 'azure' is not known here"],
    ["gemini/gemini-embedding-001", "Provider 'Google Gemini' is not configured"],
  ])("%s is missing, and the message says why", async (model, message) => {
    expect(await connection(model)).toEqual({ ready: false, message: expect.stringContaining(message) });
  });

  test("that is not configured makes coherence not applicable, and the reason names the setting", async () => {
    const { score } = judgeOf(fake);

    expect(await score("coherence")).toMatchObject({
      kind: "scored",
      grounds: { inapplicable: "no_embedding_model" },
      reason: expect.stringContaining("the setting 'embeddingModel'"),
      metadata: { attempts: 0, cost_usd: 0 },
    });
  });

  test("of a provider without embeddings has its own message", async () => {
    expect(await connection("anthropic/claude-x", { anthropic: { key } })).toEqual({
      ready: false,
      message: "Provider 'Anthropic' has no embedding models: choose another 'embeddingModel'.",
    });
  });

  test("is called through its provider", async () => {
    expect(await connection("openai/text-embedding-3-small")).toMatchObject({
      ready: true,
      model: "openai/text-embedding-3-small",
    });
  });
});

describe("parameters", () => {
  const ssm = (value: () => string) => {
    const parameterReads: GetParameterCommand["input"][] = [];
    const client = {
      send: async (command: GetParameterCommand) => {
        parameterReads.push(command.input);
        return { Parameter: { Value: value() } };
      },
    };
    return { parameterReads, client };
  };

  test("are read decrypted, once in five minutes for all readers", async () => {
    const { parameterReads, client } = ssm(() => "value");
    let now = 0;
    const readParameter = parameterReader(client, () => now);

    await Promise.all([readParameter("/a"), readParameter("/a"), readParameter("/b")]);
    now = 299_999;
    expect(await readParameter("/a")).toBe("value");
    expect(parameterReads).toEqual([
      { Name: "/a", WithDecryption: true },
      { Name: "/b", WithDecryption: true },
    ]);
    now = 300_000;
    await readParameter("/a");
    expect(parameterReads).toHaveLength(3);
  });

  test("that do not exist are undefined and read again after 15 seconds", async () => {
    const { parameterReads, client } = ssm(() => {
      throw new ParameterNotFound({ message: "", $metadata: {} });
    });
    let now = 0;
    const readParameter = parameterReader(client, () => now);

    expect([await readParameter("/a"), await readParameter("/a")]).toEqual([undefined, undefined]);
    now = 14_999;
    await readParameter("/a");
    expect(parameterReads).toHaveLength(1);
    now = 15_000;
    await readParameter("/a");
    expect(parameterReads).toHaveLength(2);
  });

  test("that could not be read reject and are not cached", async () => {
    let broken = true;
    const { client } = ssm(() => {
      if (broken) throw new Error("throttled");
      return "value";
    });
    const readParameter = parameterReader(client, () => 0);

    await expect(readParameter("/a")).rejects.toThrow("throttled");
    broken = false;
    expect(await readParameter("/a")).toBe("value");
  });
});

describe("the deployed judge", () => {
  test.each([
    [{}, "JUDGE_PROVIDERS is not set"],
    [{ JUDGE_PROVIDERS: "{" }, "JSON"],
    [{ JUDGE_PROVIDERS: '{"openai":"sk-1"}' }, "Expected Object"],
  ])("does not start with %j", (environment, message) => {
    expect(() =>
      deployedJudge(
        async () => null,
        async () => null,
        environment,
      ),
    ).toThrow(message);
  });

  test("starts with names of parameters", () => {
    expect(
      deployedJudge(
        async () => null,
        async () => null,
        { JUDGE_PROVIDERS: JSON.stringify(names) },
      ),
    ).toHaveProperty("readiness");
  });
});
