import type { Completion } from "./completion.ts";

/** Shorter ones are placeholders for servers that want any key; words like those stand in honest answers too. */
const shortestSecret = 16;

/** An answer without the key we sent: a reply may repeat it; what we keep must not. */
export const redacted = (secret: string | null, completion: Completion): Completion =>
  completion.kind === "answer" && secret !== null && secret.length >= shortestSecret
    ? { ...completion, text: completion.text.replaceAll(secret, "[key]") }
    : completion;
