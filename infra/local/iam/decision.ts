import type { Statement } from "./role-policies.ts";

/** What a call needs to be allowed. */
export interface Need {
  readonly action: string;
  readonly resource: string;
  /** Values of the condition keys that the call has, each in a list. */
  readonly context?: Readonly<Record<string, readonly string[]>>;
}

const operators: Readonly<Record<string, (values: readonly string[], wanted: readonly string[]) => boolean>> = {
  "ForAllValues:StringEquals": (values, wanted) => values.every((value) => wanted.includes(value)),
  "ForAllValues:StringLike": (values, wanted) =>
    values.every((value) => wanted.some((pattern) => fits(pattern, value))),
  Null: (values, wanted) => wanted.includes(String(values.length === 0)),
};

/** @throws Error for an operator this does not know: an unchecked condition would pass for one that holds. */
const isFulfilled = ({ conditions = {} }: Statement, { context = {} }: Need): boolean =>
  Object.entries(conditions).every(([operator, keys]) => {
    const holds = operators[operator];
    if (holds === undefined) throw new Error(`It is not known when ${operator} holds.`);
    return Object.entries(keys).every(([key, wanted]) => holds(context[key] ?? [], [wanted].flat()));
  });

/** Of the patterns of policies, which are few and asked for with every call. */
const compiled = new Map<string, RegExp>();

const fits = (pattern: string, text: string): boolean => {
  const known = compiled.get(pattern) ?? new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`);
  compiled.set(pattern, known);
  return known.test(text);
};

const covers = (statement: Statement, need: Need): boolean =>
  statement.actions.some((pattern) => fits(pattern.toLowerCase(), need.action.toLowerCase())) &&
  statement.resources.some((pattern) => fits(pattern, need.resource)) &&
  isFulfilled(statement, need);

/** Whether statements allow what a call needs: one allows it and none denies it. */
export const isAllowed = (statements: readonly Statement[], need: Need): boolean => {
  const covering = statements.filter((statement) => covers(statement, need));
  return covering.length > 0 && covering.every(({ effect }) => effect === "Allow");
};
