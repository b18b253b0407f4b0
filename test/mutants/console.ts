import { mutantsOf, type Mutant } from "./mutant.ts";

const [ruleTests, placeTests, runTests, findTests, reviewTests, keptTests, labelTests, monitorTests] = [
  ["test/unit/console/comparison-rules.test.ts"],
  ["test/unit/console/word-places.test.ts"],
  ["test/api/slow/console/runs.test.ts"],
  ["test/api/slow/console/lists/find.test.ts"],
  ["test/api/slow/console/review.test.ts"],
  ["test/api/slow/console/kept-state.test.ts"],
  ["test/api/slow/console/labels.test.ts"],
  ["test/api/slow/console/monitors.test.ts"],
] as const;

/** Mutants of what the console itself decides: verdicts, baselines, and what a review stores and shows. */
export const consoleRules: readonly Mutant[] = [
  ...mutantsOf("lib/console/trends/comparison-rules.ts", ruleTests, {
    "the interval of a difference that is worse": ["other - ofOther.lower, ofOne.upper - one) > 0", "0, 0) > 0"],
    "the interval of a difference that is better": ["ofOther.upper - other, one - ofOne.lower) < 0", "0, 0) < 0"],
    "the ends of the intervals that point at the other side": [
      "other - ofOther.lower, ofOne.upper - one)",
      "ofOther.upper - other, one - ofOne.lower)",
    ],
    "the interval that a verdict needs of a candidate": [" || ofOther === null", ""],
    "the older side as the baseline of a comparison": ["first <= second", "first > second"],
  }),
  ...mutantsOf("lib/console/trends/groups.ts", ruleTests, {
    "the oldest group as the baseline of the others": ["startOf(a) < startOf(b) ? -1", "startOf(a) > startOf(b) ? -1"],
    "passing over the sum of the smallest groups as a baseline": [" && bucket.is_other !== true", ""],
  }),
  ...mutantsOf("lib/console/trends/run-comparison.ts", ruleTests, {
    "the traces that both runs have judged, of which alone differences are counted": [
      "other === undefined ? [] : [other - value]",
      "[(other ?? 0) - value]",
    ],
  }),
  ...mutantsOf("lib/console/review/review-form.tsx", reviewTests, {
    "the reading of a score before it is corrected": ["current.updated_at === seenAt", "current.id === score.id"],
    "the state in which somebody has seen a changed score": ["}, current.updated_at)", "}, score.updated_at)"],
  }),
  ...mutantsOf("lib/console/review/review-form.tsx", keptTests, {
    "the end of a review once somebody has decided": ['source === "AUTOMATED" &&', 'source !== "PROGRAMMATIC" &&'],
  }),
  ...mutantsOf("lib/console/pages/review.tsx", reviewTests, {
    "the score that a run itself gave, where another one of its name is newer": [
      '...("trace_id" in current ? [current] : []), ...newest.filter(({ name }) => name !== current.name)',
      "...newest",
    ],
    "the place of the reviewed score after corrections": ["list.at(place)?.id === id)", "place === at)"],
  }),
  ...mutantsOf("lib/console/app/palette-key.tsx", findTests, {
    "the letters that are typed before the palette is loaded": ["early.current + event.key", "early.current"],
  }),
  ...mutantsOf("lib/console/route.ts", runTests, {
    "the silence of a page whose item is being deleted": [
      "isLoadingPaused.value = true",
      "isLoadingPaused.value = false",
    ],
  }),
  ...mutantsOf("lib/console/content/word-places.ts", placeTests, {
    "the marks of whole phrases": ["tokens.slice(at, at + term.words.length)", "tokens.slice(at, at + 1)"],
    "the case of a text that is searched in a trace": ["part.trim().toLowerCase()", "part.trim()"],
  }),
  ...mutantsOf("lib/console/pages/label.tsx", labelTests, {
    "the review without scores of a blind set": ["form.set.blind === null && ", ""],
  }),
  ...mutantsOf("lib/console/monitors/monitor-editor.tsx", monitorTests, {
    "the reading of a monitor before it is changed": [
      "if (!isNew && !(await isUpToDate(base, body))) return;",
      "if (!isNew) await isUpToDate(base, body);",
    ],
  }),
];
