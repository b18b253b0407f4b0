import fc from "fast-check";
import { expect, test } from "vitest";
import type { Contribution } from "../../../../lib/domain/traces/totals.ts";
import type { Span, Trace } from "../../../../lib/domain/traces/trace.ts";
import { rowOf } from "../../../../lib/domain/traces/row.ts";
import { usageOfSpans, usageWithin } from "../../../../lib/domain/analytics/usage-in-range.ts";

const quarter = (number: number): string => new Date(number * 900_000).toISOString().replace(".000Z", "+00:00");

const spans = fc
  .array(
    fc.record({ quarter: fc.integer({ min: 40, max: 56 }), model: fc.constantFrom("a", null) }).map(
      ({ quarter: number, model }) =>
        ({
          started_at: quarter(number),
          model,
          token_usage: { prompt_tokens: number, completion_tokens: 1 },
          cost: { total: number },
        }) as unknown as Span,
    ),
    { maxLength: 6 },
  )
  .map((list) =>
    list.map((span, index): Span => ({ ...span, span_id: `s${index}`, parent_span_id: null, metadata: {} })),
  );

const rowWith = (rowSpans: readonly Span[]) =>
  rowOf({ started_at: quarter(40), tags: [], metadata: {}, spans: rowSpans } as unknown as Trace, {
    facts: null,
    version: 1,
    contentVersion: 1,
    arrivedAt: 0,
    changedAt: 0,
    incarnation: "i",
    pieces: [],
    appendState: null,
  });

const byHour = (contributions: readonly Contribution[]): readonly Contribution[] =>
  contributions.toSorted((a, b) => (`${a.hour}${a.model}` < `${b.hour}${b.model}` ? -1 : 1));

test("usage of a range read from a packed row equals usage read from its spans", () => {
  const ends = fc.tuple(fc.integer({ min: 38, max: 58 }), fc.integer({ min: 38, max: 58 }));
  fc.assert(
    fc.property(spans, ends, (rowSpans, [from, to]) => {
      const usage = usageWithin(rowWith(rowSpans), quarter(from), quarter(to));
      const straddles = usage === null;
      expect(straddles ? null : byHour(usage)).toEqual(
        straddles ? null : byHour(usageOfSpans(rowSpans, quarter(from), quarter(to))),
      );
    }),
  );
});

test("a packed row gives the usage of every range of whole hours, and of every range that contains its spans", () => {
  const hours = fc.tuple(fc.integer({ min: 9, max: 15 }), fc.integer({ min: 9, max: 15 }));
  fc.assert(
    fc.property(spans, hours, (rowSpans, [from, to]) => {
      expect(usageWithin(rowWith(rowSpans), quarter(from * 4), quarter(to * 4))).not.toBeNull();
      expect(usageWithin(rowWith(rowSpans), quarter(39), quarter(57))).not.toBeNull();
    }),
  );
});

test("usage that a packed row has no room for is read from the document", () => {
  const row = { firstSpanAt: quarter(40), lastSpanAt: quarter(44), contributions: null };

  expect(usageWithin(row, quarter(40), quarter(41))).toBeNull();
  expect(usageWithin(row, quarter(45), quarter(46))).toEqual([]);
});
