import { expect, test } from "vitest";
import type { ExportedSpan } from "../../../lib/conventions/attributes/exported-span.ts";
import type { Json, JsonObject } from "../../../lib/domain/json.ts";
import type { Readers } from "../../../lib/conventions/convention.ts";
import { precedence, readSpan } from "../../../lib/conventions/precedence.ts";
import { tagsAt } from "../../../lib/conventions/tags.ts";

const exportedSpan = (attributes: JsonObject): ExportedSpan =>
  ({ attributes, events: [], scope: { name: "" }, name: "" }) as unknown as ExportedSpan;

const labelFields = [
  "session",
  "user",
  "traceName",
  "environment",
  "release",
  "promptName",
  "promptVersion",
  "experiment",
  "experimentItem",
] as const;

/** Attributes that the readers of labels and tags read by name, in all conventions. */
const namesOf = (fields: readonly (typeof labelFields)[number][] | readonly ["tags"]): readonly string[] =>
  precedence.flatMap((convention) =>
    fields.flatMap((field) => ((convention[field] ?? []) as Readers<unknown>).flatMap(({ names = [] }) => names)),
  );

/** Values that the readers of some fields have for an attribute. */
const valuesOf = (fields: readonly (typeof labelFields)[number][], name: string, value: Json) => {
  const span = exportedSpan({ [name]: value, "openinference.span.kind": "CHAIN" });
  return precedence.flatMap((convention) =>
    fields.flatMap((field) =>
      (convention[field] ?? []).flatMap((reader) =>
        reader.names?.includes(name) === true ? [reader(span)?.value ?? null] : [],
      ),
    ),
  );
};

test("every label of every convention may be a number or a boolean", () => {
  const names = namesOf(labelFields).filter((name) => name !== "metadata");
  expect(names.length).toBeGreaterThan(50);

  const flaws = names.flatMap((name) =>
    [42, true, JSON.rawJSON("12345678901234567890") as unknown as Json]
      .filter((value) => valuesOf(labelFields, name, value).some((each) => each !== JSON.stringify(value)))
      .map((value) => `${name}: ${JSON.stringify(value)}`),
  );

  expect(flaws).toEqual([]);
});

test("labels in metadata may be numbers, in an object or in its JSON", () => {
  for (const metadata of [{ user_id: 77, session_id: 12_345 }, '{"user_id":77,"session_id":12345}'] as const)
    expect(readSpan(exportedSpan({ metadata })).values).toMatchObject({ session: "12345", user: "77" });
});

test.each<[sent: Json, tags: readonly string[] | null]>([
  ["vip", ["vip"]],
  ["vip, beta", ["vip", "beta"]],
  ["vip,,beta,", ["vip", "beta"]],
  [
    ["vip", "a, b"],
    ["vip", "a, b"],
  ],
  ['["vip","beta"]', ["vip", "beta"]],
  ["['vip', 'beta']", ["vip", "beta"]],
  ["('vip', 7)", ["vip", "7"]],
  ["[vip], beta", ["[vip]", "beta"]],
  [
    [1, true, "", null, { a: 1 }],
    ["1", "true", '{"a":1}'],
  ],
  [7, ["7"]],
  [" , ", null],
  [{ a: 1 }, null],
])("the tags %j are %j", (sent, tags) => {
  expect(namesOf(["tags"]).length).toBeGreaterThan(5);
  expect(tagsAt("t")(exportedSpan({ t: sent }))?.value ?? null).toEqual(tags);
});

test.each([
  [{ "gen_ai.conversation.id": "resp_68af" }, undefined],
  [{ "gen_ai.conversation.id": "chat_1", "gen_ai.response.id": "chat_1" }, undefined],
  [{ "gen_ai.conversation.id": "resp_68af", "session.id": "chat-7" }, "chat-7"],
  [{ "gen_ai.conversation.id": "conv_1", "gen_ai.response.id": "resp_68af" }, "conv_1"],
])("the id of a response is no session: %j", (attributes, session) => {
  expect(readSpan(exportedSpan(attributes)).values.session).toBe(session);
});
