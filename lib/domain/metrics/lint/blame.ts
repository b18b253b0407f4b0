/** Words and beginnings of words (`*`) that name a fault of an agent, of its answer or of its user's mood. */
const faults =
  "abus* aggressive* annoy* angry arrogan* awful bad badly bias biased breach* breaks broke broken bug bugs buggy bully* cheat* condescend* confus* contradict* corrupt* crash* cursed cursing danger* deceiv* decept* discriminat* dismiss* disrespect* error errors erroneous* expos* fabricat* fail failed failing fails failure failures fake false falsely forbidden forget* forgot* fraud* frustrat* gibberish hallucinat* harass* harm harmed harmful harms hate hateful horrible hostile* ignored ignores ignoring ignore illegal* impatient* impolite* inaccura* inappropriate* incoheren* incomplete* inconsisten* incorrect* insecure insult* invent invented invents irrelevant* leak* lie lied lies lying manipulat* misinform* miss missed misses missing mislead* misled mistake* mistaken* misunderst* misus* mock* needless* nonsens* obscen* offend* offens* off-topic omit* overcharg* patroni* plagiar* pointless* poor poorly prejudice* profan* prohibited pushy racis* rambl* redundan* repetitive* rude rudely rudeness sarcas* sexis* slow slowly spam* stereotyp* stuck swear* swore terribl* threat* toxic* unauthori* unclear* unethical* unfair* unfounded unfriendly ungrounded unhappy unhelpful* unlawful* unnecessar* unprofessional* unsafe* unsupported untrue upset useless* vague* verbose violat* violen* vulgar* wasted wasteful wastes wasting waste wordy worse worst wrong wrongly";

const wordForms = faults
  .split(" ")
  .map((word) => (word.endsWith("*") ? `${word.slice(0, -1)}[a-z]*` : word))
  .join("|");

const phrases = [
  String.raw`mak(?:e|es|ing) (?:\w+ ){0,2}up`,
  String.raw`made (?:\w+ ){0,2}up`,
  "off[ -]topic",
  "long-winded",
  "g(?:ive|ives|ave) up",
  "(?:in|into) (?:a|an endless) loop",
  "not (?:allowed|permitted|supposed)",
  String.raw`against (?:\w+ ){0,2}(?:rules?|policy|policies|law)`,
  String.raw`repeat(?:s|ed)? (?:it|him|her|them)sel(?:f|ves)`,
  String.raw`too (?!well\b|good\b)[a-z]+`,
  String.raw`(?:contain|reveal|disclos|includ|shar)\w*[^.?!]{0,40}\b(?:personal|private|secret|confidential|sensitive|passwords?|credentials?)`,
].join("|");

const fault = new RegExp(String.raw`(?<![\p{L}-])(?:${wordForms}|${phrases})(?![\p{L}]|-free)`, "giu");

/** Matches what makes a fault behind it no fault of the agent: "free of errors", "corrected the mistake". */
const acquittalBefore = new RegExp(
  String.raw`(?:\b(?:no|not|never|none|without|free (?:of|from)|instead of|rather than|although|though|despite|even|if|when|whenever|unless|until|after|calm|polite|politely|patient|patiently|acknowledg\w*|admit\w*|apologi[sz]\w*|ask(?:s|ed)? (?:for|about|wh\w+)|avoid\w*|block\w*|catch\w*|caught|correct(?:s|ed|ing)?|declin\w*|de-escalat\w*|detect\w*|fix\w*|flag\w*|identif\w*|notic\w*|point(?:s|ed)? out|prevent\w*|protect\w*|recogni[sz]\w*|recover\w*|refrain\w*|refus\w*|reject\w*|resist\w*|resolv\w*|solv\w*|spot\w*|warn\w*|(?:explain|handl|mention|report)\w* (?:the|its|any|all|every|that|such|what|why|how))\b|n['’]t\b)[^.;?!]{0,80}$`,
  "iu",
);
/** Matches the same behind the fault: "Was the error reported?". */
const acquittalAfter =
  /^[^.;?!]{0,40}\b(?:acknowledged|admitted|avoided|blocked|caught|corrected|declined|detected|explained|fixed|flagged|handled|noticed|prevented|recovered|refused|rejected|reported|resolved|solved)\b/iu;

/**
 * Returns the first word of a text that names a fault; null if there is none, or if the text is about its absence or
 * its repair.
 *
 * @example
 * blameWord("Was the agent rude?"); // "rude"
 * blameWord("Is the answer free of errors?"); // null
 */
export const blameWord = (text: string): string | null => {
  for (const { 0: word, index } of text.matchAll(fault)) {
    const [before, after] = [text.slice(0, index), text.slice(index + word.length)];
    if (!acquittalBefore.test(before) && !acquittalAfter.test(after)) return word;
  }
  return null;
};
