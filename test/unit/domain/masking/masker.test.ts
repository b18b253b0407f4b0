import { expect, test } from "vitest";
import { maskedCounts } from "../../../../lib/domain/masking/count.ts";
import { maskerOf, type Masker } from "../../../../lib/domain/masking/masker.ts";
import { keyFlaw, noMasking, pathFlaw, type MaskingRules } from "../../../../lib/domain/masking/rules.ts";
import { maskSpan, maskTrace } from "../../../../lib/domain/traces/masking/mask.ts";

const maskerWith = (rules: Partial<MaskingRules>): Masker => {
  const masker = maskerOf({ ...noMasking, ...rules });
  if (masker === null) throw new Error("There are no rules.");
  return masker;
};

const trace = { name: "agent", started_at: "2026-11-21T09:00:00.000000+00:00" };

test("keys are masked at any depth, in any case, and in JSON within texts, whatever their value", () => {
  const { value } = maskerWith({ keys: ["password", "*_token", "a*b*c"] });

  expect(
    value({
      Password: "x",
      list: [{ api_token: 12 }, { api_tokens: 12, token: true }],
      aXXbYYc: { deep: [1] },
      ab: 1,
      nothing: { password: null },
      text: ' { "args" : "{\\"password\\":\\"x\\",\\"n\\":1.0}" } ',
      untouched: ' { "args" : "{\\"n\\":1.0}" } ',
      twice: '{"password":"x","password":null}',
      cut: '{"password":"x',
    }),
  ).toEqual({
    Password: "[masked:password]",
    list: [{ api_token: "[masked:*_token]" }, { api_tokens: 12, token: true }],
    aXXbYYc: "[masked:a*b*c]",
    ab: 1,
    nothing: { password: null },
    text: '{"args":"{\\"password\\":\\"[masked:password]\\",\\"n\\":1.0}"}',
    untouched: ' { "args" : "{\\"n\\":1.0}" } ',
    twice: '{"password":null}',
    cut: '{"password":"x',
  });
});

test("presets find texts behind escapes, in numbers and in keys, which stay apart", () => {
  const { value } = maskerWith({ presets: ["email", "card"] });

  expect(
    value({
      text: '["a\\u0040b.co", 4111111111111111, "x\\nb@x.co"]',
      number: 4111111111111111,
      long: JSON.rawJSON("4000000000000000006"),
      other: 4111111111111112,
      "a@b.co": 1,
      "b@b.co": 2,
      "[masked:email]": 3,
      twice: '{"a":"a@b.co","a":1}',
    }),
  ).toEqual({
    text: '["[masked:email]","[masked:card]","x\\n[masked:email]"]',
    number: "[masked:card]",
    long: "[masked:card]",
    other: 4111111111111112,
    "[masked:email]": 1,
    "[masked:email] 2": 2,
    "[masked:email] 3": 3,
    twice: '{"a":1}',
  });
});

test("a text that is nested too deep to be parsed is masked as a text, and one in many texts is parsed", () => {
  const { text } = maskerWith({ presets: ["email"], keys: ["key"] });
  const deep = `${"[".repeat(100_000)}"a@b.co"${"]".repeat(100_000)}`;
  const quoted = Array.from({ length: 12 }).reduce<string>((inner) => JSON.stringify([inner]), '{"key":1}');

  expect(text(deep)).toBe(deep.replace("a@b.co", "[masked:email]"));
  expect(text(quoted)).toBe(
    quoted.replace("1}", `${"\\".repeat(2 ** 12 - 1)}"[masked:key]${"\\".repeat(2 ** 12 - 1)}"}`),
  );
});

test("paths lead into fields, lists and JSON in texts", () => {
  const masker = maskerWith({
    paths: [
      "$.input.customer['full name']",
      "$.tags",
      "$.user_id",
      "$.spans[*].output[0].*",
      "$.metadata.gone",
      "$.name",
    ],
  });
  const span = { name: "s", started_at: trace.started_at, output: [{ a: 1, b: [2] }, { a: 1 }], span_id: "1" };

  expect(
    maskTrace(masker, {
      ...trace,
      input: '{"customer":{"full name":"Ann","id":7}}',
      output: { customer: { "full name": "Ann" } },
      tags: ["one", "two"],
      user_id: "ann",
      session_id: "chat",
      spans: [span],
    }),
  ).toEqual({
    ...trace,
    name: "[masked:$.name]",
    input: `{"customer":{"full name":"[masked:$.input.customer['full name']]","id":7}}`,
    output: { customer: { "full name": "Ann" } },
    tags: ["[masked:$.tags]", "[masked:$.tags]"],
    user_id: "[masked:$.user_id]",
    session_id: "chat",
    spans: [
      {
        ...span,
        output: [{ a: "[masked:$.spans[*].output[0].*]", b: "[masked:$.spans[*].output[0].*]" }, { a: 1 }],
      },
    ],
  });
});

test("ids are masked by their names alone, and counts stay numbers", () => {
  const sent = {
    ...trace,
    user_id: "ann@example.com",
    session_id: "ann@example.com",
    environment: "of ann@example.com",
    metadata: { "otel.user_id": "ann@example.com", "otel.span_id": "4111111111111111", user_id: "ann@example.com" },
  };
  const byPreset = maskTrace(maskerWith({ presets: ["email", "card"], keys: ["*_id"] }), sent);
  const byName = maskTrace(maskerWith({ keys: ["user_id"] }), sent);
  const usage = { name: "s", token_usage: { total: 5, key: "x" }, cost: { total: 0.5 } };
  const span = maskSpan(maskerWith({ keys: ["total", "key", "cost"] }), usage);

  expect(byPreset).toEqual({
    ...sent,
    environment: "of [masked:email]",
    metadata: { ...sent.metadata, user_id: "[masked:*_id]" },
  });
  expect(byName).toEqual({
    ...sent,
    user_id: "[masked:user_id]",
    metadata: { ...sent.metadata, "otel.user_id": "[masked:user_id]", user_id: "[masked:user_id]" },
  });
  expect(span).toEqual({ ...usage, token_usage: { total: 5, key: "[masked:key]" } });
});

test("masked texts are counted by rule, and a hostile text does not slow the count", () => {
  const { value } = maskerWith({ keys: ["k"], paths: ["$.input[*].x"], presets: ["email"] });
  const masked = value({ k: 1, text: "a@b.co and a@b.co", "c@d.co": { k: 2 } });

  expect(maskedCounts(masked)).toEqual({ email: 3, k: 2 });
  expect(maskedCounts(["[masked:$.input[*].x]", "[masked:]", "[masked:a"])).toEqual({ "$.input[*].x": 1 });
  expect(maskedCounts({ text: "[masked:".repeat(400_000) })).toBeNull();
  expect(Object.keys(maskedCounts(Array.from({ length: 1000 }, (_, at) => `[masked:${at}]`)) ?? {})).toHaveLength(100);
});

test.each([
  ["input", /JSON path/u],
  ["$", /begins with/u],
  ["$..password", /JSON path/u],
  ["$.input[?(@.a)]", /JSON path/u],
  ["$.trace_id", /begins with .* name, input, output/u],
  ["$.spans", /goes on with/u],
  ["$.spans[0].input", /goes on with/u],
  ["$.spans[*].span_id", /goes on with .* model_parameters/u],
  ["$.scores[*].name", /reason, metadata/u],
])("the path %s is refused with the reason", (path, reason) => {
  expect(pathFlaw(path)).toMatch(reason);
});

test("paths of fields, and names of keys with a character, are rules", () => {
  const paths = ["$.input", "$['input']['a b'][0][*].*", "$.spans[*].metadata.x", "$.scores[*].reason"];

  expect(paths.filter((path) => pathFlaw(path) !== null)).toEqual([]);
  expect(["password", "*x*", "user.email"].map(keyFlaw)).toEqual([null, null, null]);
  expect(["*", "**", "a[0]", "a\nb"].map((key) => keyFlaw(key) !== null)).toEqual([true, true, true, true]);
});
