import { variables } from "./environment.ts";
import type { Ceilings } from "../domain/runs/budget.ts";

/** Reads the operator's monthly cost ceilings in US dollars from environment variables; null for a ceiling that is not set. @throws Error if one is not a positive number. */
export const monthlyCeilings = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Omit<Ceilings, "run"> => {
  const ceiling = (name: string): number | null => {
    const value = environment[name];
    if (value === undefined || value === "") return null;
    const dollars = Number(value);
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
