import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { getDataset } from "../../../lib/contract/datasets/datasets.ts";
import {
  createDatasetItems,
  deleteDatasetItem,
  listDatasetItems,
  updateDatasetItem,
} from "../../../lib/contract/datasets/items.ts";
import { lineTypes, type LineType } from "../../../lib/contract/datasets/line-types.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { newDataset } from "../../support/datasets.ts";
import { problems } from "../../support/reply-shape.ts";
import { newProject } from "../../support/service/client.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");
const project = newProject(service);

const send = (dataset_id: string, type: string, bytes: string | Uint8Array) =>
  project.call(createDatasetItems, { params: { dataset_id }, headers: { "Content-Type": type }, bytes });

const [ndjson, csv] = lineTypes;

/** Returns the texts of all pages, by the links. */
const pages = async (dataset_id: string, type: LineType, betweenPages = async () => {}): Promise<string[]> => {
  const texts: string[] = [];
  for (let query = ""; ;) {
    const { status, text, headers } = await project.call(listDatasetItems, {
      params: { dataset_id },
      headers: { Accept: type },
      query,
    });
    expect([status, headers["content-type"]]).toEqual([200, type]);
    texts.push(text);
    const link = /\?([^>]*)>/u.exec(String(headers["link"]))?.[1];
    if (link === undefined) return texts;
    await betweenPages();
    query = link;
  }
};

const itemsOf = async (dataset_id: string) =>
  (await project.answer(listDatasetItems, { params: { dataset_id }, query: { limit: 10_000 } })).items.map(
    ({ id, external_id, input, expected_output, metadata, source }) => ({
      id,
      external_id,
      input,
      expected_output,
      metadata,
      source,
    }),
  );

const values = [
  ["text", "plain"],
  ["", null],
  ["42", 42],
  ["true", true],
  ["null", { a: [1, { "b,c": 'x"y' }] }],
  ['{"like": "JSON"}', []],
  ["[draft] not JSON", 'with "quotes", commas\r\nand lines\n'],
  [' "quoted" ', "\uFEFFmark 👋"],
  [{ question: "Grüße" }, ["a", ["b"]]],
] as const;

test.each(lineTypes)("what is written as %s is read as equal items", async (type) => {
  const [first, second] = [await newDataset(project), await newDataset(project)];
  const { trace_id } = await project.answer(createTrace, { body: { ...someTrace(), input: "in", output: "out" } });
  const items = values.map(([input, expected_output], at) => ({
    id: at % 2 === 0 ? `item "${at}"` : null,
    input,
    expected_output,
    metadata: at % 3 === 0 ? { at, "a.b": [at], text: "1" } : {},
    source: at % 3 === 0 ? { trace_id } : null,
  }));
  const numbers = `{"items":[{"id":"digits","input":1.10,"expected_output":12345678901234567890}]}`;
  const params = { dataset_id: first };
  await project.answer(createDatasetItems, { params, body: { items } });
  await project.answer(createDatasetItems, { params, bytes: numbers });

  const texts = await pages(first, type);
  const reply = await send(second, type, texts.join(""));

  expect(texts).toHaveLength(1);
  expect(reply).toMatchObject({ status: 201 });
  expect(await itemsOf(second)).toEqual(await itemsOf(first));
  expect(await pages(second, type)).toEqual(texts);
  expect(texts[0]).toContain("12345678901234567890");
  expect(texts[0]).toContain("1.10");
});

test("a CSV as spreadsheets write it has columns for keys of the metadata, a mark, CRLF and empty cells", async () => {
  const dataset = await newDataset(project);
  const text = [
    "\uFEFFid,input,expected_output,metadata.team,metadata.a.b",
    'a,"Where is\r\nmy ""order""?",On Monday,support,1',
    "",
    "b,7.50,,,",
  ].join("\r\n");

  expect(await send(dataset, `${csv}; charset=utf-8`, text)).toMatchObject({ status: 201 });

  expect(await itemsOf(dataset)).toMatchObject([
    { input: 'Where is\r\nmy "order"?', expected_output: "On Monday", metadata: { team: "support", "a.b": 1 } },
    { external_id: "b", input: 7.5, expected_output: null, metadata: {} },
  ]);
});

test.each([
  ["a line that is no JSON", ndjson, '{"input":1}\n\n{"input":\n{"input":3}}', ["body.line.3.9", "body.line.4.11"]],
  ["half an object", ndjson, '{"input":1\n"id":"x"}', ["body.line.1.10", "body.line.2.4"]],
  ["an unknown field", ndjson, '{"input":1}\n{"input":1,"expected":2}', ["body.line.2.expected"]],
  ["a list", ndjson, '\n[{"input":1}]', ["body.line.2"]],
  ["two equal ids", ndjson, '\n{"id":"a","input":1}\n{"id":"a","input":2}', ["body.line.3.id"]],
  ["no line", ndjson, "\n", ["body.items"]],
  ["an unknown column", csv, "id,inputs\na,1", ["body.line.1"]],
  ["two equal columns", csv, "id,id\na,1", ["body.line.1"]],
  ["metadata twice", csv, "input,metadata,metadata.a\n1,{},2", ["body.line.1"]],
  ["a row that is too short", csv, 'id,input\n"a\nb",1\nc', ["body.line.4"]],
  ["a row that is too long", csv, "input\n1\n2,3", ["body.line.3"]],
  ["an open quotation mark", csv, 'id,input\na,"1\n2', ["body.line.2"]],
  ["text behind a quotation mark", csv, 'id,input\na,"1"2', ["body.line.2"]],
  ["a quotation mark within a cell", csv, 'id,input\na,5" screen', ["body.line.2"]],
  ["metadata that is no object", csv, "input,metadata\n1,{}\n2,text", ["body.line.3.metadata"]],
  ["no input", csv, 'id,input\n"a\r\nb",1\r\nc,', ["body.line.4"]],
  ["no rows", csv, "id,input", ["body.items"]],
  [
    "an unknown trace",
    ndjson,
    `{"input":1}\n{"source":{"trace_id":"${randomUUID()}"}}`,
    ["body.line.2.source.trace_id"],
  ],
])("lines with %s are named, and nothing is stored", async (_, type, text, places) => {
  const dataset = await newDataset(project);

  const reply = await send(dataset, type, text);

  expect([reply.status, problems(reply)]).toEqual([422, places]);
  expect(await itemsOf(dataset)).toEqual([]);
});

test("other types are refused, and other bytes than UTF-8", async () => {
  const dataset = await newDataset(project);

  expect(await send(dataset, "text/tab-separated-values", "input\n1")).toMatchObject({
    status: 415,
    body: { detail: "The body must be of the type application/json, application/x-ndjson or text/csv." },
  });
  for (const [type, lines] of [
    [csv, "input\nGruß\n\nGrüße"],
    [ndjson, '{"input":"Gruß"}\n\n{"input":3}\n{"input":"Grüße"}\n'],
  ] as const) {
    const [first = "", ...rest] = lines.split("ß");
    const reply = await send(
      dataset,
      type,
      Buffer.concat([Buffer.from(`${first}ß`), Buffer.from(rest.join("ß"), "latin1")]),
    );
    expect([problems(reply), reply.text]).toEqual([
      ["body.line.4"],
      expect.stringContaining("The line is not valid UTF-8"),
    ]);
  }
  expect(await send(dataset, ndjson, `{"input":1}\n`.repeat(400_000))).toMatchObject({ status: 413 });
});

test("pages of 5 MB have each item once, while items are changed, added and deleted", async () => {
  const dataset = await newDataset(project);
  const params = { dataset_id: dataset };
  const large = '"'.repeat(140_000);
  for (const part of [0, 1, 2])
    await project.answer(createDatasetItems, {
      params,
      body: {
        items: Array.from({ length: 8 }, (_, at) => ({ id: `${part} ${at}`, input: { at: part * 8 + at, large } })),
      },
    });
  const before = await itemsOf(dataset);
  let turn = 0;

  const texts = await pages(dataset, ndjson, async () => {
    turn += 1;
    await project.answer(updateDatasetItem, { params: { ...params, item_id: "0 1" }, body: { expected_output: turn } });
    await project.answer(updateDatasetItem, { params: { ...params, item_id: "2 7" }, body: { expected_output: turn } });
    if (turn === 1) await project.answer(deleteDatasetItem, { params: { ...params, item_id: "0 0" } });
    await project.answer(createDatasetItems, { params, body: { items: [{ id: `new ${turn}`, input: turn }] } });
  });

  const read = texts.flatMap((text) =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
  const ids = read.map(({ id }) => id).filter((id: string) => !id.startsWith("new"));
  expect(texts.length).toBeGreaterThan(2);
  expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(5_000_000);
  expect(before.length).toBeLessThan(24);
  expect(ids).toEqual([0, 1, 2].flatMap((part) => Array.from({ length: 8 }, (_, at) => `${part} ${at}`)));
  expect(await project.answer(getDataset, { params })).toMatchObject({ item_count: 23 + turn });
});

test("lines come by preference of Accept, and else JSON", async () => {
  const dataset = await newDataset(project);
  await send(dataset, ndjson, '{"id":"a","input":1}');
  const typeFor = async (Accept: string) =>
    (await project.call(listDatasetItems, { params: { dataset_id: dataset }, headers: { Accept } })).headers[
      "content-type"
    ];

  expect(
    await Promise.all(["*/*", "text/csv;q=0.5, application/json", "text/html, text/csv", "TEXT/CSV;q=0"].map(typeFor)),
  ).toEqual(["application/json", "application/json", "text/csv", "application/json"]);
});
