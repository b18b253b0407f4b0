import type { InTurn } from "../../../lib/evaluation/slices/turns.ts";

/** A worker that nobody waits for. */
export const alone: InTurn = (message, work) => work({ message, borrowed: false, isOver: () => false });
