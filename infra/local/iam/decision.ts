import type { Statement } from "./role-policies.ts";

/** What a call needs to be allowed. */
export interface Need {
  readonly action: string;
  readonly resource: string;
}

const fits = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`).test(text);

const covers = ({ actions, resources }: Statement, { action, resource }: Need): boolean =>
  actions.some((pattern) => fits(pattern.toLowerCase(), action.toLowerCase())) &&
  resources.some((pattern) => fits(pattern, resource));

/** Whether statements allow what a call needs: one allows it and none denies it. */
export const isAllowed = (statements: readonly Statement[], need: Need): boolean => {
  const covering = statements.filter((statement) => covers(statement, need));
  return covering.length > 0 && covering.every(({ effect }) => effect === "Allow");
};
