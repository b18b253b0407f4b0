/** An answer that decides. */
export type YesNo = "yes" | "no";

/** What a statement can be answered with, in the order in which a judge is offered it. */
export const statementAnswers = ["yes", "no", "cannot_tell"] as const;

/** `cannot_tell`: what was shown leaves it open. */
export type StatementAnswer = (typeof statementAnswers)[number];

/** A step of a scale. */
export interface Level<L extends string = string> {
  readonly name: L;
  /** A clause, without its full stop. */
  readonly meaning: string;
  /** 0 to 1. */
  readonly value: number;
}

/** Something that is so or not; a judge says which, with evidence. */
interface Statement<S extends string = string> {
  readonly name: S;
  /** One sentence. */
  readonly text: string;
  /** What the answers mean, as clauses without a full stop. */
  readonly yes: string;
  readonly no: string;
}

/** A line of a rule: the level, and the answers that lead to it. */
export interface RuleLine<L extends string = string, S extends string = string> {
  readonly level: L;
  readonly answers: { readonly [Name in S]?: YesNo };
  /** How many of the answers have to be given; all of them when absent. */
  readonly least?: number;
}

/**
 * How a level follows from yes and no. The lines of the rule are looked at in their order, and the first one that holds gives the
 * level; where none does it is `otherwise`.
 */
export interface Rubric<L extends string = string, S extends string = string> {
  readonly levels: readonly Level<L>[];
  /** In the order in which they are answered. */
  readonly statements: readonly Statement<S>[];
  readonly rule: readonly RuleLine<NoInfer<L>, NoInfer<S>>[];
  readonly otherwise: NoInfer<L>;
}

/** A level and the statements that led to it, or the statements that nobody could tell and on which it depends. */
export type Decision =
  | { readonly kind: "level"; readonly level: Level; readonly by: readonly string[] }
  | { readonly kind: "open"; readonly statements: readonly string[] };

type Answers = Readonly<Record<string, StatementAnswer>>;

const entriesOf = ({ answers }: RuleLine): readonly (readonly [string, YesNo | undefined])[] => Object.entries(answers);

/** The line that holds, by its place; that of `otherwise` is behind the last. */
const lineOf = ({ rule }: Rubric, answers: Answers): number => {
  const place = rule.findIndex((line) => {
    const given = entriesOf(line).filter(([name, answer]) => answers[name] === answer);
    return given.length >= (line.least ?? entriesOf(line).length);
  });
  return place === -1 ? rule.length : place;
};

const levelOf = ({ rule, otherwise }: Rubric, line: number): string => rule[line]?.level ?? otherwise;

/** Every way to answer what nobody could tell. */
const completions = (answers: Answers, open: readonly string[]): readonly Answers[] =>
  Array.from({ length: 2 ** open.length }, (_, bits) => ({
    ...answers,
    ...Object.fromEntries(open.map((name, place) => [name, (bits >> place) % 2 === 0 ? "no" : "yes"] as const)),
  }));

/** What was answered of the statements that led to a line. */
const ledTo = ({ rule, statements }: Rubric, line: number, answers: Answers): readonly string[] => {
  const own = rule[line];
  return own === undefined
    ? statements.map(({ name }) => name)
    : entriesOf(own).flatMap(([name, answer]) => (answers[name] === answer ? [name] : []));
};

/**
 * The level that follows from answers. It follows where some of them are `cannot_tell`, too, as long as it is the same whether
 * those are yes or no.
 *
 * @throws Error for a level that the rubric does not have.
 */
export const decide = (rubric: Rubric, answers: Answers): Decision => {
  const open = rubric.statements.flatMap(({ name }) => (answers[name] === "cannot_tell" ? [name] : []));
  const possible = completions(answers, open).map((one) => ({ answers: one, line: lineOf(rubric, one) }));
  const names = new Set(possible.map(({ line }) => levelOf(rubric, line)));
  if (names.size > 1) {
    const decisive = open.filter((name) =>
      possible.some(({ answers: one, line }) => {
        const other = { ...one, [name]: one[name] === "yes" ? ("no" as const) : ("yes" as const) };
        return levelOf(rubric, line) !== levelOf(rubric, lineOf(rubric, other));
      }),
    );
    return { kind: "open", statements: decisive };
  }
  const [name] = names;
  const level = rubric.levels.find((each) => each.name === name);
  if (level === undefined) throw new Error(`The rubric has no level ${name}.`);
  const by = new Set(possible.flatMap((one) => ledTo(rubric, one.line, one.answers)));
  const decided = rubric.statements.flatMap((each) =>
    by.has(each.name) && !open.includes(each.name) ? [each.name] : [],
  );
  return { kind: "level", level, by: decided };
};
