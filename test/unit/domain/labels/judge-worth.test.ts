import { expect, test } from "vitest";
import type { Confusion } from "../../../../lib/domain/labels/confusion.ts";
import { fitnessOf } from "../../../../lib/domain/labels/fitness.ts";
import { judgeWorth, placeOfItem } from "../../../../lib/domain/labels/judge-worth.ts";
import { peopleAgreement } from "../../../../lib/domain/labels/people.ts";

const table = (tp: number, fp: number, fn: number, tn: number): Confusion => ({ tp, fp, fn, tn });

test.each([
  ["a good judge by 100 labels, twenty of a kind", table(77, 3, 3, 17), "gate", "Kappa is 0.67 or more"],
  ["by one label less", table(76, 3, 3, 17), "trend", "a gate needs 100 labels"],
  ["by nineteen that fail", table(78, 3, 3, 16), "trend", "with 20 of each kind"],
  ["a kappa whose lower end is below 0.6", table(74, 3, 6, 17), "trend", "its lower end is 0.57"],
  ["some skill", table(45, 25, 5, 25), "exploration", "Sensitivity + specificity - 1 is 0.40, at least 0.22"],
  ["chance", table(40, 40, 10, 10), "unknown", "The judge is no better than chance"],
  ["perhaps chance", table(42, 36, 8, 14), "unknown", "The judge may be no better than chance"],
  ["labels of one kind", table(150, 0, 10, 0), "unknown", "Labels of both kinds are needed; there are 160 labels"],
  ["no labels", table(0, 0, 0, 0), "unknown", "there are 0 labels"],
])("%s makes a judge fit for what is documented", (_, confusion, use, words) => {
  expect(fitnessOf(confusion)).toEqual({ fit_for: use, reason: expect.stringContaining(words) });
});

test("an item has the label of most people, none if they are divided, and needs a verdict", () => {
  const places = [
    { votes: [true, true, false], verdict: true },
    { votes: [true, false, false], verdict: true },
    { votes: [true, false], verdict: true },
    { votes: [], verdict: true },
    { votes: [true], verdict: null },
  ].map(placeOfItem);

  expect(places).toEqual(["tp", "fp", "tie", "unlabelled", "missing"]);
});

test("a judge is compared with the commoner label, and people with each other", () => {
  const items = [
    { votes: [true, true, false], verdict: true },
    { votes: [true, true, true], verdict: true },
    { votes: [false, false, true], verdict: true },
    { votes: [true, false], verdict: false },
  ];

  expect(judgeWorth(items)).toMatchObject({
    n: 3,
    base_rate: 2 / 3,
    agreement: 2 / 3,
    majority_baseline: 2 / 3,
    ties: 1,
    missing: 0,
    confusion: table(2, 1, 0, 0),
    people: { pairs: 10, agreement: 0.5 },
  });
  expect(judgeWorth([])).toMatchObject({ n: 0, base_rate: null, agreement: null, kappa: { value: null } });
  expect(peopleAgreement([[true], [false]])).toEqual({ pairs: 0, agreement: null, kappa: null });
  expect(peopleAgreement([[true, true]])).toEqual({ pairs: 1, agreement: 1, kappa: null });
});
