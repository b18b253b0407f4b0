import type { InTurn } from "../../../lib/evaluation/work/turns.ts";

/** A worker that nobody waits for. */
export const alone: InTurn = (message, work) => work({ message, borrowed: false, isOver: () => false });
