import { variables } from "./environment.ts";
import type { Ceilings } from "../domain/runs/spend.ts";

/** The operator's ceilings, from a function's environment; null where there is none. @throws Error for what is no positive number. */
export const monthlyCeilings = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Omit<Ceilings, "run"> => {
  const ceiling = (name: string): number | null => {
    const given = environment[name];
    if (given === undefined || given === "") return null;
    const dollars = Number(given);
    if (!Number.isFinite(dollars) || dollars <= 0)
      throw new Error(`The environment variable ${name} is not a positive number.`);
    return dollars;
  };
  return {
    project: ceiling(variables.projectMonthlyCostCeiling),
    organization: ceiling(variables.organizationMonthlyCostCeiling),
    deployment: ceiling(variables.monthlyCostCeiling),
  };
};
