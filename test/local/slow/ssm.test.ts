import { GetParameterCommand, GetParametersCommand, ParameterNotFound, SSMClient } from "@aws-sdk/client-ssm";
import { expect, onTestFinished, test } from "vitest";
import { localClient } from "../../../infra/local/host/aws-client.ts";
import { judgeParameters } from "../../../infra/local/ssm/judge-parameters.ts";
import { shellProviders } from "../../../infra/local/ssm/shell-providers.ts";
import { startSsm } from "../../../infra/local/ssm/ssm.ts";

const start = async () => {
  const service = await startSsm(new Map([["/assay/key", "secret"]]));
  onTestFinished(() => service.close());
  return new SSMClient({ ...localClient(service.url), maxAttempts: 1 });
};

test("a parameter is read by its name", async () => {
  const ssm = await start();

  const { Parameter } = await ssm.send(new GetParameterCommand({ Name: "/assay/key", WithDecryption: true }));

  expect(Parameter).toMatchObject({ Name: "/assay/key", Value: "secret", Version: 1 });
});

test("a missing parameter is the error that the client knows, and an invalid one among several", async () => {
  const ssm = await start();

  await expect(ssm.send(new GetParameterCommand({ Name: "/none" }))).rejects.toBeInstanceOf(ParameterNotFound);
  const { Parameters, InvalidParameters } = await ssm.send(
    new GetParametersCommand({ Names: ["/none", "/assay/key"] }),
  );
  expect([Parameters?.map(({ Name }) => Name), InvalidParameters]).toEqual([["/assay/key"], ["/none"]]);
});

test("the judge's parameters come from environment variables, under the names that the functions read", () => {
  const providers = {
    openai: { key: "/p/openai/key", baseUrl: "/p/openai/url" },
    offline: { baseUrl: "/p/offline/url" },
    gemini: { key: "/p/gemini/key" },
  };
  const values = { openai: { key: "sk-1", baseUrl: undefined }, offline: { baseUrl: "http://127.0.0.1:1" } };

  const parameters = judgeParameters([{}, { JUDGE_PROVIDERS: JSON.stringify(providers) }], values);

  expect(Object.fromEntries(parameters)).toEqual({ "/p/openai/key": "sk-1", "/p/offline/url": "http://127.0.0.1:1" });
});

test("the environment variables are those of the providers' own tools", () => {
  const values = shellProviders({ ANTHROPIC_API_KEY: "sk-ant", CUSTOM_BASE_URL: "http://127.0.0.1:11434/v1" });

  expect(values).toMatchObject({
    anthropic: { key: "sk-ant" },
    custom: { baseUrl: "http://127.0.0.1:11434/v1" },
    vertex_ai: {},
  });
  expect(() => shellProviders({ GOOGLE_APPLICATION_CREDENTIALS: "/no/such/file.json" })).toThrow("no such file");
});
