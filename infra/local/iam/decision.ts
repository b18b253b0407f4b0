import type { Statement } from "./role-policies.ts";

/** A permission that an AWS call requires. */
export interface RequiredPermission {
  readonly action: string;
  readonly resource: string;
  /** Values of the call's IAM condition keys. */
  readonly context?: Readonly<Record<string, readonly string[]>>;
}

const operators: Readonly<Record<string, (values: readonly string[], allowedValues: readonly string[]) => boolean>> = {
  "ForAllValues:StringEquals": (values, allowedValues) => values.every((value) => allowedValues.includes(value)),
  "ForAllValues:StringLike": (values, allowedValues) =>
    values.every((value) => allowedValues.some((pattern) => matchesPattern(pattern, value))),
  // A key without a value equals nothing.
  StringEquals: (values, allowedValues) => values.length > 0 && values.every((value) => allowedValues.includes(value)),
  Null: (values, allowedValues) => allowedValues.includes(String(values.length === 0)),
};

/** True if all conditions of a statement hold. @throws Error for an unsupported operator, so that no condition is ignored. */
const meetsConditions = ({ conditions = {} }: Statement, { context = {} }: RequiredPermission): boolean =>
  Object.entries(conditions).every(([operator, keys]) => {
    const evaluate = operators[operator];
    if (evaluate === undefined) throw new Error(`The condition operator ${operator} is not supported.`);
    return Object.entries(keys).every(([key, allowedValues]) => evaluate(context[key] ?? [], [allowedValues].flat()));
  });

/** Compiled wildcard patterns of policies: there are few, and every call matches them. */
const patternCache = new Map<string, RegExp>();

const matchesPattern = (pattern: string, text: string): boolean => {
  const escaped = () => pattern.replaceAll(/[^\w*]/gu, String.raw`\$&`).replaceAll("*", ".*");
  const regex = patternCache.get(pattern) ?? new RegExp(`^${escaped()}$`);
  patternCache.set(pattern, regex);
  return regex.test(text);
};

const covers = (statement: Statement, permission: RequiredPermission): boolean =>
  statement.actions.some((pattern) => matchesPattern(pattern.toLowerCase(), permission.action.toLowerCase())) &&
  statement.resources.some((pattern) => matchesPattern(pattern, permission.resource)) &&
  meetsConditions(statement, permission);

/** True if at least one statement allows a permission and no statement denies it. */
export const isAllowed = (statements: readonly Statement[], permission: RequiredPermission): boolean => {
  const coveringStatements = statements.filter((statement) => covers(statement, permission));
  return coveringStatements.length > 0 && coveringStatements.every(({ effect }) => effect === "Allow");
};
