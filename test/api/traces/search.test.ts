import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createSpans, updateTrace } from "../../../lib/contract/traces/changes.ts";
import { deleteTrace } from "../../../lib/contract/traces/deletion.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { someWords, textsMatch, written } from "../../support/search/reference.ts";
import { seeded } from "../../support/random.ts";
import { newProject } from "../../support/service/client.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";

const service = inject("service");
const at = "2026-10-01T09:00:00.000000+00:00";
const hour = (index: number): string => new Date(Date.UTC(2026, 9, 1, index)).toISOString();

type Project = ReturnType<typeof newProject>;

const search = (project: Project, q: string, query: Readonly<Record<string, string | number>> = {}) =>
  project.answer(listTraces, { query: { q, ...query } });

/** Names of the traces that a query finds, oldest first. */
const namesOf = async (project: Project, q: string, query = {}): Promise<readonly string[]> =>
  (await search(project, q, query)).items.map(({ name }) => name).toReversed();

/** A text in each language, a part of it in other letters, and a part that must not be found. */
const languages: readonly (readonly [language: string, text: string, present: string, absent: string])[] = [
  ["English", "The parcel won't arrive before Monday.", '"PARCEL won\'t"', "parce"],
  ["German", "Die Straße führt über die Brücke.", "STRASSE fuhrt", "brück"],
  ["French", "L’élève a déjà reçu sa leçon d'œuvre.", '"deja recu" eleve', "lec"],
  ["Spanish", "Mañana lloverá en la región.", "manana LLOVERÁ", "regio"],
  ["Portuguese", "A informação está no balcão.", "informacao", "balc"],
  ["Italian", "Perché la città è così bella?", "perche citta", "bell"],
  ["Dutch", "De financiële reünie begint om drie uur.", '"financiele reunie"', "reun"],
  ["Polish", "Zażółć gęślą jaźń.", "zazolc gesla jazn", "zazol"],
  ["Czech", "Příliš žluťoučký kůň.", '"zlutoucky kun"', "zlut"],
  ["Turkish", "İstanbul'da ılık bir akşam.", "istanbul aksam", "ista"],
  ["Swedish", "Ögonblicket är över på ön.", "ogonblicket", "ogon"],
  ["Russian", "Ёлка стоит в лесу.", "ЕЛКА лесу", "елк"],
  ["Greek", "Ο Οδυσσέας επέστρεψε.", "ΟΔΥΣΣΕΑΣ", "οδυσσ"],
  ["Hebrew", "שָׁלוֹם עולם", "שלום", "שלו"],
  ["Arabic", "السَّلَامُ عَلَيْكُمْ", '"السلام عليكم"', "السلا"],
  ["Hindi", "मेरा ऑर्डर कहाँ है कि नहीं", "ऑर्डर कि", "का"],
  ["Vietnamese", "Đơn hàng của tôi ở đâu?", '"don hang"', "han"],
  ["Chinese", "我的订单在哪里？", "订单 哪里", "单订"],
  ["Japanese", "東京大学のガイドはどこですか。", "京大 ｶﾞｲﾄﾞ", "大京"],
  ["Korean", "주문을 취소하고 싶어요.", '주문 "취소하고 싶"', "소취"],
  ["Thai", "สวัสดีครับ ผมต้องการคืนเงิน", "คืนเงิน", "เงินคืน"],
];

describe("the search for words", () => {
  const project = newProject(service);
  const [other, deleted, late] = [newProject(service), randomUUID(), randomUUID()];
  const span = (fields: object) => ({ span_id: randomUUID(), name: "s", started_at: at, ...fields });

  beforeAll(async () => {
    const traces = languages.map(([name, input], index) => ({ name, input, started_at: hour(index) }));
    await project.answer(createTraces, { body: { traces } });
    await project.answer(createTraces, {
      body: {
        traces: [
          {
            name: "tool",
            started_at: at,
            input: "hello\n   wide\tworld",
            spans: [
              span({ kind: "TOOL", input: { city: "Reykjavík", hiddenkey: 4711 }, output: "first half" }),
              span({ kind: "TOOL", input: "second quarter", error: "ECONNREFUSED at gateway" }),
              span({
                input: { messages: [{ arguments: '{"note":"line\\nbreak \\u00fcber \\"quoted\\"","n":8.25}' }] },
              }),
            ],
          },
          { name: "needles", started_at: at, input: "needles, needle" },
          { name: "repeated", started_at: at, input: ["echo one", "echo two"], output: "echo three" },
          { name: "kana", started_at: at, input: `${"ｱ".repeat(31)}ｶﾞ` },
          { trace_id: deleted, name: "deleted", started_at: at, output: "vanishing words" },
          { trace_id: late, name: "late", started_at: at, input: "early" },
          { name: "long", started_at: at, input: `${"filler ".repeat(200)}ünique 😀${"😀".repeat(300)}` },
        ],
      },
    });
    await project.answer(deleteTrace, { params: { trace_id: deleted } });
    await project.answer(createSpans, { params: { trace_id: late }, body: [span({ output: "lately appended" })] });
    await project.answer(updateTrace, { params: { trace_id: late }, body: { input: "replaced" } });
    await other.answer(createTrace, { body: { name: "foreign", started_at: at, input: "parcel" } });
  });

  test.each(languages)("finds whole words of %s whatever their case and accents", async (name, _, present, absent) => {
    expect(await namesOf(project, present)).toEqual([name]);
    expect(await namesOf(project, absent)).toEqual([]);
  });

  test.each([
    ["a number and a value of a tool's arguments", "4711 reykjavik", ["tool"]],
    ["a letter in two characters, wherever it stands", "アガ", ["kana"]],
    ["no end of a word", "eykjavik", []],
    ["a word behind half of another", "needle", ["needles"]],
    ["an error of a span", "econnrefused gateway", ["tool"]],
    ["a phrase over blanks and line breaks", '"hello wide world"', ["tool"]],
    ["JSON within a text, unescaped", '"break über quoted" "8.25"', ["tool"]],
    ["spans that came late", "lately", ["late"]],
    ["no keys of JSON", "hiddenkey", []],
    ["no escapes of JSON", "nbreak", []],
    ["no phrase over two spans", '"half second"', []],
    ["words over two spans", "half second", ["tool"]],
    ["no deleted trace", "vanishing", []],
    ["no text that was replaced", "early", []],
    ["only traces with all words", "parcel lately", []],
  ])("finds %s", async (_, q, names) => {
    expect(await namesOf(project, q)).toEqual(names);
  });

  test("finds nothing of another project", async () => {
    expect(await namesOf(other, "parcel")).toEqual(["foreign"]);
    expect(await namesOf(project, "parcel")).toEqual(["English"]);
  });

  test("says where a trace matches, with at most 160 characters around the place", async () => {
    const { items } = await search(project, "first second econnrefused reykjavik");
    const [long] = (await search(project, "unique")).items;
    const [repeated] = (await search(project, "echo")).items;
    const snippet = long?.matches?.[0]?.snippet ?? "";

    expect(items[0]?.matches).toEqual([
      { span_id: expect.any(String), field: "input", snippet: "Reykjavík" },
      { span_id: items[0]?.matches?.[0]?.span_id, field: "output", snippet: "first half" },
      { span_id: expect.any(String), field: "input", snippet: "second quarter" },
    ]);
    expect(repeated?.matches?.map(({ snippet: text }) => text)).toEqual(["echo one", "echo three"]);
    expect(snippet).toContain("filler ünique 😀");
    expect(Array.from(snippet)).toHaveLength(160);
    expect(snippet.isWellFormed()).toBe(true);
  });

  test("applies every other filter before it reads texts", async () => {
    const page = await search(project, "strasse", { started_after: hour(1), started_before: hour(3) });

    expect(page).toMatchObject({
      total: 1,
      next_cursor: null,
      searched_to: null,
      searched: {
        rows: 2,
        documents: 2,
        skipped: 0,
        indexed_days: 0,
        from: "2026-10-01T01:00:00.000000+00:00",
        to: "2026-10-01T03:00:00.000000+00:00",
      },
    });
    expect(await namesOf(project, "parcel", { name: "german" })).toEqual([]);
  });

  test("goes on by its cursor until all traces were searched, and counts what was found so far", async () => {
    const paged = newProject(service);
    const traces = Array.from({ length: 7 }, (_, index) => ({
      name: String(index),
      started_at: hour(index),
      input: index % 3 === 2 ? "hay" : "needle",
    }));
    await paged.answer(createTraces, { body: { traces } });
    const pages: Awaited<ReturnType<typeof search>>[] = [];
    for (let cursor: string | null | undefined; cursor !== null; cursor = pages.at(-1)?.next_cursor)
      pages.push(await search(paged, "needle", { limit: 2, ...(cursor !== undefined && { cursor }) }));

    expect(
      pages.map(({ items, total, searched_to: to }) => [items.map(({ name }) => name), total, to?.slice(11, 13)]),
    ).toEqual([
      [["6", "4"], 2, "04"],
      [["3", "1"], 4, "01"],
      [["0"], 5, undefined],
    ]);
  });

  test.each([
    ["", "Input should have a word or a number"],
    ['... "!"', "Input should have a word or a number"],
    ['one "two', "A quotation mark has no counterpart"],
    ["x".repeat(257), "String should have at most 256 characters"],
    ["a b c d e f g h i j k l m n o p q", "Input should have at most 16 words"],
  ])("refuses %j", async (q, msg) => {
    const reply = await project.call(listTraces, { query: { q } });

    expect(reply).toMatchObject({ status: 422, body: { detail: [{ loc: ["query", "q"], msg }] } });
  });

  test.each([
    [{ sort_by: "cost" }, "sort_by"],
    [{ sort_order: "asc" }, "sort_by"],
    [{ offset: 1 }, "offset"],
  ])("refuses another order and offsets: %j", async (query, parameter) => {
    const reply = await project.call(listTraces, { query: { q: "x", ...query } });

    expect(reply).toMatchObject({ status: 422, body: { detail: [{ loc: ["query", parameter] }] } });
  });

  test("selects the traces of a run", async () => {
    const count = async (q: string) => {
      const body = { metrics: ["confidence"], filters: { q, has_failed_span: false } };
      return await project.call(createTraceRun, { query: { dry_run: "true" }, body });
    };

    expect(await count("strasse")).toMatchObject({ status: 200, body: { targets: 1 } });
    expect(await count("stra")).toMatchObject({ status: 200, body: { targets: 0 } });
    expect(await count("?")).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "filters", "q"] }] } });
  });
});

test("finds in random texts what a matcher on words finds", async () => {
  const seed = Number(process.env["SEARCH_SEED"] ?? freshSeed());
  const random = seeded(seed);
  const project = newProject(service);
  const traces = Array.from({ length: 60 }, (_, index) => {
    const texts = Array.from({ length: 3 }, () => someWords(random, 6));
    const [input, output, error] = texts.map((words) => written(random, words));
    const nested = random.chance(0.3) ? JSON.stringify([{ input }]) : { input };
    const spans = [{ name: "s", started_at: at, output, error }];
    return {
      texts,
      body: { trace_id: randomUUID(), name: String(index), started_at: hour(index), input: nested, spans },
    };
  });
  await project.answer(createTraces, { body: { traces: traces.map(({ body }) => body) } });
  for (let query = 0; query < 60; query += 1) {
    const phrases = Array.from({ length: 1 + random.below(2) }, () => someWords(random, 3));
    const q = phrases.map((phrase) => `"${written(random, phrase)}"`).join(random.pick([" ", ""]));
    const expected = traces.filter(({ texts }) => textsMatch(texts, phrases)).map(({ body }) => body.name);

    expect(await namesOf(project, q, { limit: 200 }), `SEARCH_SEED=${seed}: ${q}`).toEqual(expected);
  }
});
