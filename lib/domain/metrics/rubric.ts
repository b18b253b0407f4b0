/** A definite answer to a statement. */
export type YesNo = "yes" | "no";

/** Possible answers to a statement, in the order in which the judge sees them. */
export const statementAnswers = ["yes", "no", "cannot_tell"] as const;

/** An answer to a statement; `cannot_tell` means that the evaluated transcript does not decide the statement. */
export type StatementAnswer = (typeof statementAnswers)[number];

/** A level of a scale. */
export interface Level<L extends string = string> {
  readonly name: L;
  /** Meaning of the level, a clause without a full stop. */
  readonly meaning: string;
  /** Score of the level, 0 to 1. */
  readonly value: number;
}

/** A yes-or-no statement that the judge answers with evidence. */
interface Statement<S extends string = string> {
  readonly name: S;
  /** Question to the judge, a single sentence. */
  readonly text: string;
  /** Meaning of the answer yes, a clause without a full stop. */
  readonly yes: string;
  /** Meaning of the answer no, a clause without a full stop. */
  readonly no: string;
}

/** A line of a rule: a level and the answers that lead to it. */
export interface RuleLine<L extends string = string, S extends string = string> {
  readonly level: L;
  readonly answers: { readonly [Name in S]?: YesNo };
  /** Minimum number of `answers` that must match; all if absent. */
  readonly least?: number;
}

/**
 * A scale with statements and a rule that derives the level from the answers. The first rule line that holds gives
 * the level; `otherwise` applies if none does.
 */
export interface Rubric<L extends string = string, S extends string = string> {
  readonly levels: readonly Level<L>[];
  /** True if the levels are categories without an order: their values mean nothing. Absent for an order. */
  readonly isNominal?: true;
  /** Statements in the order in which the judge answers them. */
  readonly statements: readonly Statement<S>[];
  readonly rule: readonly RuleLine<NoInfer<L>, NoInfer<S>>[];
  readonly otherwise: NoInfer<L>;
}

/** A level with the statements that led to it, or the undecided statements that the level depends on. */
export type LevelDecision =
  | { readonly kind: "level"; readonly level: Level; readonly by: readonly string[] }
  | { readonly kind: "open"; readonly statements: readonly string[] };

type Answers = Readonly<Record<string, StatementAnswer>>;

const entriesOf = ({ answers }: RuleLine): readonly (readonly [string, YesNo | undefined])[] => Object.entries(answers);

/** Returns the index of the rule line that holds; the number of lines stands for `otherwise`. */
const lineOf = ({ rule }: Rubric, answers: Answers): number => {
  const place = rule.findIndex((line) => {
    const matchingAnswers = entriesOf(line).filter(([name, answer]) => answers[name] === answer);
    return matchingAnswers.length >= (line.least ?? entriesOf(line).length);
  });
  return place === -1 ? rule.length : place;
};

const levelOf = ({ rule, otherwise }: Rubric, line: number): string => rule[line]?.level ?? otherwise;

/** Returns every combination of yes and no for the undecided statements. */
const completions = (answers: Answers, open: readonly string[]): readonly Answers[] =>
  Array.from({ length: 2 ** open.length }, (_, bits) => ({
    ...answers,
    ...Object.fromEntries(open.map((name, place) => [name, (bits >> place) % 2 === 0 ? "no" : "yes"] as const)),
  }));

/** Returns the statements whose answers led to a rule line. */
const statementsFor = ({ rule, statements }: Rubric, line: number, answers: Answers): readonly string[] => {
  const ruleLine = rule[line];
  return ruleLine === undefined
    ? statements.map(({ name }) => name)
    : entriesOf(ruleLine).flatMap(([name, answer]) => (answers[name] === answer ? [name] : []));
};

/**
 * Derives the level from the answers. Statements answered with `cannot_tell` do not matter as long as yes and no
 * would give the same level.
 *
 * @throws Error if the rule names a level that the rubric does not have.
 */
export const decide = (rubric: Rubric, answers: Answers): LevelDecision => {
  const open = rubric.statements.flatMap(({ name }) => (answers[name] === "cannot_tell" ? [name] : []));
  const outcomes = completions(answers, open).map((completion) => ({
    answers: completion,
    line: lineOf(rubric, completion),
  }));
  const names = new Set(outcomes.map(({ line }) => levelOf(rubric, line)));
  if (names.size > 1) {
    const decisive = open.filter((name) =>
      outcomes.some(({ answers: completion, line }) => {
        const flipped = { ...completion, [name]: completion[name] === "yes" ? ("no" as const) : ("yes" as const) };
        return levelOf(rubric, line) !== levelOf(rubric, lineOf(rubric, flipped));
      }),
    );
    return { kind: "open", statements: decisive };
  }
  const [name] = names;
  const level = rubric.levels.find((each) => each.name === name);
  if (level === undefined) throw new Error(`The rubric has no level ${name}.`);
  const by = new Set(outcomes.flatMap((completion) => statementsFor(rubric, completion.line, completion.answers)));
  const decisiveNames = rubric.statements.flatMap((each) =>
    by.has(each.name) && !open.includes(each.name) ? [each.name] : [],
  );
  return { kind: "level", level, by: decisiveNames };
};

/**
 * Computes the probability of each level by its name, from the probabilities that the statements are true, which are taken as
 * independent. A statement without a probability counts as one half.
 *
 * @param probabilities by name of the statement; the time doubles with each of at most a dozen statements.
 */
export const levelProbabilities = (
  rubric: Rubric,
  probabilities: Readonly<Record<string, number | null>>,
): ReadonlyMap<string, number> => {
  const names = rubric.statements.map(({ name }) => name);
  const levels = new Map(rubric.levels.map(({ name }) => [name, 0]));
  for (const answers of completions({}, names)) {
    const probability = names.reduce((product, name) => {
      const isTrue = probabilities[name] ?? 0.5;
      return product * (answers[name] === "yes" ? isTrue : 1 - isTrue);
    }, 1);
    const level = levelOf(rubric, lineOf(rubric, answers));
    levels.set(level, (levels.get(level) ?? 0) + probability);
  }
  return levels;
};
