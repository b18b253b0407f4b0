import { mutantsOf, type Mutant } from "./mutant.ts";

const [providers, question] = ["test/unit/judge/providers", "test/unit/judge/question"];
const callFailure = "lib/judge/providers/call-failure.ts";

/** Mutants of what a judge's replies mean, of its context window, and of where there is nothing to judge. */
export const judgeReplies: readonly Mutant[] = [
  ...mutantsOf("lib/judge/providers/refusal.ts", [`${providers}/error-replies.test.ts`], {
    "taking what may be a key out of a provider's words": ['    .replaceAll(keyPattern, "[...]")\n', ""],
    "the number of the provider behind a gateway that failed": [
      "isWithinSuccess || status >= 500 ?",
      "isWithinSuccess ?",
    ],
  }),
  ...mutantsOf(callFailure, [`${providers}/error-replies.test.ts`], {
    "hiding the words of refusals that may repeat a key or the question": [
      'const words = hasWords && refusal.words !== ""',
      'const words = refusal.words !== ""',
    ],
    "prompts that are too long under the status of a failed server": [
      "([400, 422].includes(status) || status >= 500) && tooLongPattern",
      "[400, 422].includes(status) && tooLongPattern",
    ],
  }),
  ...mutantsOf("lib/judge/question/ask-model.ts", [`${question}/cut-prompt.test.ts`], {
    "refusing a score by a prompt that the server cut": [
      "if (cutPrompt !== null) return",
      "if (cutPrompt !== null && 0) return",
    ],
  }),
  ...mutantsOf("lib/judge/question/cut-prompt.ts", [`${question}/cut-prompt.test.ts`], {
    "runs of one character that count as one": [
      "if (text.charCodeAt(at) !== text.charCodeAt(at - 1)) characters += 1;",
      "characters += 1;",
    ],
    "the smallest count of a window of a server that has refused a longer prompt": [
      "hasRefused ? smallestWindowAfterRefusal : smallestWindow",
      "(void hasRefused, void smallestWindowAfterRefusal, smallestWindow)",
    ],
    "the smallest count of tokens that is a window": [
      "if (tokens.prompt < (hasRefused ? smallestWindowAfterRefusal : smallestWindow)) return null;",
      "void smallestWindowAfterRefusal, smallestWindow, hasRefused;",
    ],
  }),
  ...mutantsOf("lib/judge/providers/shared-window.ts", [`${providers}/shared-window.test.ts`], {
    "the turns of calls that share a window": [
      "if (!queues.has(model)) queues.set(model, semaphore(1));",
      "void semaphore;",
    ],
    "a call that fills the shared window alone": [" || call.isAlone", ""],
  }),
  ...mutantsOf("lib/judge/providers/window.ts", [`${providers}/window.test.ts`], {
    "the least answer for which a window has room": [
      "tokensLeft >= minTokensLeft && tokensLeft < outputTokens",
      "tokensLeft < outputTokens",
    ],
    "half of an answer where a server names only the least tokens": [
      "isAtLeast ? Math.min(room, Math.max(minTokensLeft, Math.floor(outputTokens / 2))) : room",
      "room",
    ],
  }),
  ...mutantsOf("lib/domain/runs/doubts.ts", ["test/unit/domain/runs/doubts.test.ts"], {
    "a failing target alone, by which a later answer shows that the input is the cause": [
      "isAnswered: isOnlyTarget",
      "isAnswered: true",
    ],
  }),
  ...mutantsOf("lib/wiring/judge-price-check.ts", ["test/api/slow/runs/judge-provider.test.ts"], {
    "judges without an address where a price is required": [
      "priceOf(model, prices) === null && (await isConfigured(model))",
      "priceOf(model, prices) === null",
    ],
  }),
  ...mutantsOf("lib/domain/checks/presence.ts", ["test/unit/domain/checks/absent-input.test.ts"], {
    "a call that a negated condition forbids": [
      "condition.absent === undefined && !isNegated && (",
      "condition.absent === undefined && (",
    ],
  }),
  ...mutantsOf("lib/domain/traces/parts/partial-span.ts", ["test/unit/langfuse/event-order.test.ts"], {
    "the rank of an update over a create": ["if (rank < rankBefore) continue;", "void rankBefore;"],
    "what follows from an input that a later part replaces": ["followers.add(field);", "followers.delete(field);"],
  }),
  ...mutantsOf("lib/domain/alerts/evaluate.ts", ["test/unit/domain/alerts/evaluate.test.ts"], {
    "the windows that could not have shown a worsening": ['sight?.isBlind === true ? "cannot_tell" : "ok"', '"ok"'],
  }),
  ...mutantsOf("lib/judge/spending/prompt-size.ts", ["test/unit/judge/spending/prompt-size.test.ts"], {
    "scripts that no report of a model has had": [
      "factor * size.tokens(count) + unseenTokens(model, size)",
      "factor * size.tokens(count)",
    ],
    "a quarter more than a model's worst report": [
      "worst === undefined ? null : margin * worst",
      "worst === undefined ? null : worst",
    ],
  }),
  ...mutantsOf("lib/store/spend/ledger.ts", ["test/store/spend/spend.test.ts"], {
    "the forfeit of a reservation that notes no calls": ["entry.begun ?? unsettled", "entry.begun ?? 0"],
  }),
  ...mutantsOf("lib/stream/alert-changes.ts", ["test/store/alerts/scores.test.ts"], {
    "scans that complete attributes and edit no score": ["isEdited && becameLow", "becameLow"],
    "scores of which nobody knows any more who counted them": [
      "decided?.isNew === true && !isForgotten",
      "decided?.isNew === true",
    ],
  }),
];
