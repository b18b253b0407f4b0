import { optional, parse, picklist } from "valibot";
import { tiers, type Tier } from "../domain/runs/tier.ts";
import { variables } from "./environment.ts";

/** The tier of runs that name none. @throws Error when the variable is set to anything else. */
export const environmentTier = (): Tier =>
  parse(optional(picklist(tiers), "standard"), process.env[variables.judgeTier]);
