import { describe, expect, test } from "vitest";
import { numberedSpans } from "../../../../lib/judge/transcript/spans.ts";
import type { Span } from "../../../../lib/domain/traces/trace.ts";
import { span } from "../fixtures.ts";

const order = (spans: readonly Span[]): readonly string[] =>
  numberedSpans(spans).map(({ span, parent }) => `${span.span_id}<${parent ?? ""}`);
const child = (id: string, parent: string | null, second = 0): Span =>
  span(id, { parent_span_id: parent, started_at: `2026-03-01T10:00:0${second}+00:00` });

describe("spans in a transcript", () => {
  test("are ordered depth first, siblings by start, then by id, in any order of arrival", () => {
    const spans = [child("z", "a", 1), child("b", "a", 2), child("y", "z", 3), child("c", "a", 1), child("a", null)];

    expect(order(spans)).toEqual(["a<", "c<1", "z<1", "y<3", "b<1"]);
  });

  test("with a missing parent are at the top level and marked as such", () => {
    const placed = numberedSpans([child("a", "gone"), child("b", "a", 1)]);

    expect(placed.map(({ parent, isOrphan: orphan }) => [parent, orphan])).toEqual([
      [null, true],
      [1, false],
    ]);
  });

  test("that are their own parent or form a circle are shown exactly once", () => {
    expect(order([child("self", "self"), child("a", "c", 1), child("b", "a", 2), child("c", "b", 3)])).toEqual([
      "self<",
      "a<",
      "b<2",
      "c<3",
    ]);
  });

  test("with the same id are both shown once", () => {
    expect(order([child("a", null), child("a", null, 1), child("b", "a", 2)])).toHaveLength(3);
  });

  test("in a chain of 20,000 do not overflow the stack", () => {
    const chain = Array.from({ length: 20_000 }, (_, index) =>
      child(`s${index}`, index === 0 ? null : `s${index - 1}`),
    );

    expect(numberedSpans(chain).at(-1)).toMatchObject({ number: 20_000, parent: 19_999 });
  });
});
