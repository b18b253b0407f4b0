import { optional, parse, picklist } from "valibot";
import { serviceTiers, type ServiceTier } from "../domain/runs/tier.ts";
import { variables } from "./environment.ts";

/** Reads the default service tier of runs. @throws Error if the variable names an unknown tier. */
export const environmentTier = (): ServiceTier =>
  parse(optional(picklist(serviceTiers), "standard"), process.env[variables.judgeTier]);
