import * as v from "valibot";
import { expect, test } from "vitest";
import { dryRunQuery } from "../../../lib/contract/list-query.ts";
import { listMonitors } from "../../../lib/contract/monitors/monitors.ts";
import { getSession } from "../../../lib/contract/sessions/sessions.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { queryOf, withMetadata } from "../../../lib/http/query-parameters.ts";

test("parameters named after metadata keys become one parameter, and any other stays unchanged", () => {
  const parameters = {
    "metadata.a.b": ["1"],
    "metadata[c]": ["2", "3"],
    metadata: ["x"],
    "metadata.": ["y"],
    limit: ["4"],
  };

  expect(withMetadata(listTraces.query, parameters)).toEqual({
    metadata: { "a.b": ["1"], c: ["2", "3"] },
    "metadata.": ["y"],
    limit: ["4"],
  });
  expect(withMetadata(listTraces.query, { metadata: ["x"] })).toEqual({ metadata: ["x"] });
  expect(withMetadata(listMonitors.query, parameters)).toEqual(parameters);
});

test("items of a list may be sent in brackets, as PHP, Ruby and axios do", () => {
  const parameters = {
    "score[]": ["helpful=true", "quality>0.5"],
    tags: ["a"],
    "tags[]": ["b"],
    "tags[1]": ["c"],
    "tags[0]": ["d"],
    "metadata[0]": ["e"],
  };

  expect(queryOf(listTraces, parameters)).toEqual({
    query: { score: ["helpful=true", "quality>0.5"], tags: ["a", "b", "c", "d"], metadata: { 0: ["e"] } },
    violations: [],
  });
});

test.each(["limit[]", "tags[x]", "tags[99999]", "tags[0][0]", "constructor[]", "__proto__[]", "__proto__"])(
  "%s is no known parameter of a list",
  (name) => {
    const { query, violations } = queryOf(listTraces, Object.fromEntries([[name, ["1"]]]));

    expect([query, violations.map(({ loc }) => loc)]).toEqual([{}, [["query", name]]]);
  },
);

test.each([
  ["sort", "sort_by"],
  ["order", "sort_order"],
  ["start", "started_after"],
  ["end", "started_before"],
  ["page_size", "limit"],
  ["perPage", "limit"],
  ["search", "q"],
  ["page", "offset"],
  ["sesion_id", "session_id"],
])("the unknown parameter %s of a list of traces suggests %s", (name, suggestion) => {
  expect(queryOf(listTraces, { [name]: ["1"] }).violations).toMatchObject([
    { msg: `Unknown query parameter; did you mean ${suggestion}?`, type: "extra_forbidden" },
  ]);
});

test("no parameter is suggested that the route does not have", () => {
  expect(queryOf(getSession, { sort: ["name"] }).violations).toMatchObject([
    { msg: expect.stringContaining("known are: limit, offset, cursor, fields, id") },
  ]);
});

test("the earlier name of a parameter means the present one, and not both can be sent", () => {
  expect(queryOf(getSession, { session_id: ["a/b"] })).toEqual({ query: { id: ["a/b"] }, violations: [] });
  expect(queryOf(getSession, { session_id: ["a"], id: ["b"] }).violations).toMatchObject([
    { loc: ["query", "session_id"], msg: "session_id and id mean the same: give one of them" },
  ]);
});

test.each([
  ["1", true],
  ["TRUE", true],
  ["0", false],
  ["false", false],
])("the boolean %s in a query is %s", (word, value) => {
  expect(v.parse(dryRunQuery("Stores nothing."), { dry_run: [word] })).toEqual({ dry_run: value });
});
