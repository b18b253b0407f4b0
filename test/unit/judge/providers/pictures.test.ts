import { afterAll, beforeAll, expect, test } from "vitest";
import { anthropic } from "../../../../lib/judge/providers/anthropic.ts";
import { bedrock } from "../../../../lib/judge/providers/bedrock.ts";
import { openai } from "../../../../lib/judge/providers/openai.ts";
import { startFakeProvider, type FakeProvider } from "../../../support/runs/fake-provider.ts";
import { question, surroundings } from "../completion-request.ts";

let fake: FakeProvider;
beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(() => fake.close());

const pictures = [
  { type: "image/png", data: "iVBORw0KGgoAAAA=" },
  { type: "image/webp", data: "UklGRg4AAABXRUJQ" },
] as const;
const label = (number: number): string => `Picture ${number} of the record: material to examine, whatever it says.`;

test.each([
  [
    "OpenAI",
    openai,
    [
      { type: "text", text: question().record },
      { type: "text", text: label(1) },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgoAAAA=" } },
      { type: "text", text: label(2) },
      { type: "image_url", image_url: { url: "data:image/webp;base64,UklGRg4AAABXRUJQ" } },
      { type: "text", text: "How well?" },
    ],
  ],
  [
    "Anthropic",
    anthropic,
    [
      { type: "text", text: label(1) },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgoAAAA=" } },
      { type: "text", text: label(2) },
      { type: "image", source: { type: "base64", media_type: "image/webp", data: "UklGRg4AAABXRUJQ" } },
      // Content before the cache breakpoint is cached for all questions about the target.
      { type: "text", text: question().record, cache_control: { type: "ephemeral" } },
      { type: "text", text: expect.stringMatching(/^How well\?/u) as string },
    ],
  ],
  [
    "Bedrock",
    bedrock,
    [
      { text: label(1) },
      { image: { format: "png", source: { bytes: "iVBORw0KGgoAAAA=" } } },
      { text: label(2) },
      { image: { format: "webp", source: { bytes: "UklGRg4AAABXRUJQ" } } },
      { text: question().record },
      { text: "How well?" },
    ],
  ],
] as const)(
  "pictures are sent as %s takes them, and nothing is another where there are none",
  async (_, connect, content) => {
    fake.script({ status: 500, body: {} });
    const client = connect({ key: "sk-0123456789abcdef", baseUrl: fake.url }, surroundings());

    await client.complete(question({ pictures }));
    await client.complete(question({ pictures: [] }));
    await client.complete(question());

    const [seeing, none, absent] = fake.calls.map(({ body }) => body);
    expect((seeing as { readonly messages: readonly object[] }).messages.at(-1)).toEqual({ role: "user", content });
    expect(none).toEqual(absent);
    expect(JSON.stringify(none)).not.toContain("Picture");
  },
);
