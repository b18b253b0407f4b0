import type { Mutant } from "./mutant.ts";

const newest = "lib/store/scores/newest.ts";
const [ofNewest, ofGrounds] = [["test/store/scores/newest.test.ts"], ["test/store/scores/grounds.test.ts"]] as const;

/** The defences of what scores carry, and of what tells the newest of them. */
export const scores: readonly Mutant[] = [
  {
    without: "the condition on what was read when the newest score is put",
    file: newest,
    changes: [
      [
        '"attribute_not_exists(pk)" : "g = :g"',
        '"attribute_not_exists(pk) OR attribute_exists(pk)" : "(g = :g OR g <> :g)"',
      ],
    ],
    caughtBy: ofNewest,
  },
  {
    without: "the new look at a newest score that is told already: its edits",
    file: newest,
    changes: [["if (isTold && changed.every(", "if (isTold || changed.every("]],
    caughtBy: "scores",
  },
  {
    without: "the word that there is no newest score any more",
    file: newest,
    changes: [
      [
        "const { success, failure, ttl } = found;",
        "const { success, failure, ttl } = found;\nif (success === null && failure === null && there === undefined) return;",
      ],
    ],
    caughtBy: ofNewest,
  },
  {
    without: "the mark that names of a version before are being brought in",
    file: newest,
    changes: [["await mark(life, { b: true });", ""]],
    caughtBy: ofNewest,
  },
  {
    without: "the life of a trace in the key of its newest scores",
    file: "lib/store/scores/newest-codec.ts",
    changes: [['`${incarnation ?? ""}#`', '`${incarnation === "" ? "" : "#"}`']],
    caughtBy: ofNewest,
  },
  {
    without: "the limit of numbers that can be stored",
    file: "lib/store/storable-number.ts",
    changes: [["Math.abs(number) <= Number.MAX_SAFE_INTEGER", "Math.abs(number) <= Number.MAX_VALUE"]],
    caughtBy: ofNewest,
  },
  {
    without: "the blank before a value that does not apply: statistics count it",
    file: "lib/store/scores/counted-value.ts",
    changes: [["applicable === false ? `${uncounted}${value}` : value", "applicable === null ? `${value}` : value"]],
    caughtBy: ofGrounds,
  },
  {
    without: "what a judge said first: each edit keeps what was there before it",
    file: "lib/domain/scores/edit.ts",
    changes: [["if (original !== null || source", "if (source"]],
    caughtBy: ["test/unit/domain/scores/value.test.ts"],
  },
  {
    without: "looking citations up in what was shown",
    file: "lib/judge/verdict/evidence.ts",
    changes: [["part.length < shortestQuote ? -1 : text.indexOf(part, from)", "Math.max(0, text.indexOf(part, from))"]],
    caughtBy: ["test/unit/judge/verdict/evidence.test.ts"],
  },
];
