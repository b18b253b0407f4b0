import { notFound, type Refusal } from "../../domain/refusal.ts";
import type { ScoreTarget } from "../../store/scores/keys.ts";

const nouns = { trace: "Trace score", session: "Session score" } as const;

export const scoreNotFound = ({ target }: { readonly target: ScoreTarget }, id: string): Refusal =>
  notFound(`${nouns[target]} ${id} not found.`);
