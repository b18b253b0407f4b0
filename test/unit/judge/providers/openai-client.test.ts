import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { custom, openai } from "../../../../lib/judge/providers/openai.ts";
import type { Connector, Settings } from "../../../../lib/judge/providers/provider.ts";
import { startFakeProvider, type FakeProvider } from "../../../support/runs/fake-provider.ts";
import { question, surroundings } from "../completion-request.ts";

/** Every variable that the `openai` package reads, as an operator's shell may hold it for another program. */
const otherProgram = {
  OPENAI_API_KEY: "sk-of-another-program",
  OPENAI_ADMIN_KEY: "sk-admin-of-another-program",
  OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
  OPENAI_ORG_ID: "org-of-another-program",
  OPENAI_PROJECT_ID: "proj_of_another_program",
  OPENAI_WEBHOOK_SECRET: "whsec_of_another_program",
  OPENAI_CUSTOM_HEADERS: "authorization: Bearer of-another-program\nx-tenant: of-another-program",
  OPENAI_LOG: "debug",
};

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());
beforeEach(() => {
  for (const [name, value] of Object.entries(otherProgram)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const key = "sk-0123456789abcdef";
const completion = {
  status: 200,
  body: { choices: [{ message: { content: "{}" }, finish_reason: "stop" }], usage: {} },
};
const sent = ["connection", "content-length", "content-type", "host", "user-agent"];

test.each<readonly [string, Connector, Settings, string | undefined, readonly string[]]>([
  ["openai", openai, { key }, `Bearer ${key}`, ["authorization", ...sent]],
  ["custom without a key", custom, {}, undefined, sent],
])(
  "%s is called with our headers alone, whatever the environment holds",
  async (...[, provider, settings, ...expected]) => {
    const logs = (["debug", "info", "warn", "error"] as const).map((level) => vi.spyOn(console, level));
    fake.script(completion);
    const client = provider({ ...settings, baseUrl: `${fake.url}/base` }, surroundings());

    await client.complete(question());
    await client.embed?.("embedder")({ texts: ["a"], timeout: 60_000 });

    expect(fake.calls.map(({ path }) => path)).toEqual(["/base/chat/completions", "/base/embeddings"]);
    for (const { headers } of fake.calls) {
      expect([headers.authorization, Object.keys(headers).toSorted()]).toEqual(expected);
      expect(headers["user-agent"]).toBe("assay");
    }
    expect(logs.flatMap(({ mock }) => mock.calls)).toEqual([]);
  },
);
