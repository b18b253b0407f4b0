import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";
import { problems } from "../../support/reply-shape.ts";

const project = newProject(inject("service"));

/** Traces whose names tell which filters match them. */
const traces = [
  {
    name: "Refund 100%",
    started_at: "2026-10-01T10:00:00.000000+00:00",
    ended_at: "2026-10-01T10:00:09.000000+00:00",
    status: "ERROR",
  },
  {
    name: "refund_agent",
    started_at: "2026-10-01T11:00:00.000000+00:00",
    session_id: "s",
    user_id: "u",
    tags: ["eu", "a,b"],
  },
  {
    name: "Ärger",
    started_at: "2026-10-02T00:00:00.000000+00:00",
    ended_at: "2026-10-02T00:00:01.000000+00:00",
    tags: ["us"],
  },
  {
    name: "back\\slash",
    started_at: "2026-10-02T12:00:00.000001+00:00",
    ended_at: "2026-10-01T00:00:00.000000+00:00",
    session_id: "",
  },
] as const;
const [percent, underscore, umlaut, backslash] = traces.map(({ name }) => name) as [string, string, string, string];

beforeAll(async () => {
  await Promise.all(traces.map((body) => project.answer(createTrace, { body: { trace_id: randomUUID(), ...body } })));
});

const namesOf = async (query: string): Promise<readonly string[]> => {
  const { items, total } = await project.answer(listTraces, { query });
  expect(total).toBe(items.length);
  return items.map(({ name }) => name);
};

describe("a filtered list of traces", () => {
  test.each([
    ["name=REFUND", [underscore, percent]],
    ["name=%C3%84RGER", [umlaut]],
    ["name=%25", [percent]],
    ["name=_", [underscore]],
    ["name=%5C", [backslash]],
    ["name=.*", []],
    ["name=&sort_by=name", [umlaut, underscore, backslash, percent]],
    ["status=ERROR", [percent]],
    ["status=COMPLETED&name=re", [underscore]],
    ["session_id=s", [underscore]],
    ["session_id=S", []],
    ["session_id=", [backslash]],
    ["user_id=u", [underscore]],
    ["user_id=", []],
    ["tags=eu&tags=us", [umlaut, underscore]],
    ["tags=a,b", [underscore]],
    ["tags=eu,us", []],
    ["started_after=2026-10-02", [backslash, umlaut]],
    ["started_before=2026-10-02T00:00:00Z", [underscore, percent]],
    ["started_after=2026-10-01T11:00Z&started_before=2026-10-02T00:00:00.000001Z", [umlaut, underscore]],
    ["started_after=2026-10-01T13:00%2B02:00&tags=eu", [underscore]],
    ["started_after=2026-10-03&started_before=2026-10-01", []],
    ["started_after=2026-10-03&started_before=2026-10-01&session_id=s", []],
  ])("with %s", async (query, expected) => {
    expect(await namesOf(query)).toEqual(expected);
  });

  test.each([
    ["sort_by=started_at&sort_order=asc&started_after=2020-01-01", [percent, underscore, umlaut, backslash]],
    ["sort_by=ended_at", [umlaut, percent, backslash, underscore]],
    ["sort_by=ended_at&sort_order=asc", [backslash, percent, umlaut, underscore]],
    ["sort_by=name&sort_order=asc", [percent, backslash, underscore, umlaut]],
    ["sort_by=latency&name=r", [percent, umlaut, underscore]],
    ["sort_by=latency&sort_order=asc&name=r", [umlaut, percent, underscore]],
    ["sort_by=status&limit=1&offset=0&status=ERROR", [percent]],
  ])("ordered by %s", async (query, expected) => {
    expect(await namesOf(query)).toEqual(expected);
  });

  test.each([
    ["2026-10-01T10:00:00 02:00", "; a + in a query is a space: write %2B"],
    ["2026-10-01T10:00 0200", "; a + in a query is a space: write %2B"],
    ["2026-10-01 10:00", ""],
  ])("is refused for the time %s, whose plus has become a space, with advice: %s", async (time, advice) => {
    const reply = await project.call(listTraces, { query: { started_after: time } });

    expect(reply).toMatchObject({
      status: 422,
      body: { detail: [{ msg: `Input should be a valid datetime or date${advice}` }] },
    });
  });

  test("has the exact total of matches with a page of them", async () => {
    const reply = await project.answer(listTraces, { query: { sort_by: "name", limit: 1, offset: 2 } });

    expect(reply).toMatchObject({ items: [{ name: backslash }], total: 4, limit: 1, offset: 2 });
  });

  test("is empty from an offset beyond its end, with the correct total", async () => {
    const reply = await project.answer(listTraces, { query: { status: "COMPLETED", offset: 1_000_000_000_000 } });

    expect(reply).toMatchObject({ items: [], total: 3 });
  });

  test.each([
    ["a status in lower case", "status=completed", ["status"]],
    ["an empty status", "status=", ["status"]],
    ["an unknown column", "sort_by=created_at", ["sort_by"]],
    ["a direction in upper case", "sort_order=DESC", ["sort_order"]],
    ["epoch seconds", "started_after=1764547200", ["started_after"]],
    ["a plus that is a blank", "started_before=2026-10-01T10:00:00+02:00", ["started_before"]],
    ["a long name", `name=${"n".repeat(513)}`, ["name"]],
    ["a long session", `session_id=${"s".repeat(256)}`, ["session_id"]],
    ["a long tag", `tags=${"t".repeat(256)}`, ["tags"]],
    ["101 tags", Array.from({ length: 101 }, (_, index) => `tags=${index}`).join("&"), ["tags"]],
    [
      "filters given twice",
      "status=ERROR&status=ERROR&name=a&name=a&session_id=a&session_id=a",
      ["name", "session_id", "status"],
    ],
    ["an order given twice", "sort_by=name&sort_by=name&sort_order=asc&sort_order=asc", ["sort_by", "sort_order"]],
    ["a bound given twice", "started_after=2026-10-01&started_after=2026-10-01", ["started_after"]],
  ])("refuses %s", async (_what, query, fields) => {
    const reply = await project.call(listTraces, { query });

    expect(reply.status).toBe(422);
    expect(problems(reply).toSorted()).toEqual(fields.map((field) => `query.${field}`));
  });
});
