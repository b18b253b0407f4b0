/** Lint rules that examine a single text. */
export const textRules = ["scale_word", "number_scale", "placeholder", "format", "obedience", "blank"] as const;

/** A lint warning about a text of a metric. */
export interface TextWarning {
  readonly rule: (typeof textRules)[number];
  readonly message: string;
}

/** Matches placeholders: `{{input}}`, `{input}`, `${input}`, `<input>`, `[insert the answer]`. */
const placeholder =
  /\{\{[^{}]{1,60}\}\}|\$\{[^{}]{1,60}\}|\{[A-Za-z_][\w.]{0,40}\}|<(?<tag>[a-z][\w-]{0,40})>|\[(?:insert|your|the)\b[^\]]{0,60}\]|%\([a-z_]{1,40}\)s/giu;

/** Matches numeric scales: "from 1 to 10", "1-5", "out of 10", "7/10", "0-100", "5 stars", "a percentage". */
const numberScale =
  /\b(?:from\s+|between\s+)?\d+(?:\.\d+)?\s*(?:to|and|through|-|–)\s*\d+(?:\.\d+)?\b(?!\s*(?:seconds?|minutes?|hours?|(?:working |business )?days?|weeks?|months?|years?|words?|sentences?|paragraphs?|lines?|items?|characters?)\b)|\bout of \d+\b|\b\d+\s*\/\s*(?:5|10|100)\b|\b\d+\s+stars?\b|\ba percentage\b/iu;
const gradingWord = /\b(?:scor(?:e|es|ing)|rat(?:e|es|ing)|grad(?:e|es|ing)|scale|points?|stars?|mark)\b/iu;

/** Families of words for grades. A text with two words of one family describes a scale. */
const families = [
  ["excellent", "very good", "good", "fair", "average", "mediocre", "poor", "bad", "terrible"],
  ["pass", "fail"],
  ["high", "medium", "low"],
  ["acceptable", "unacceptable"],
  ["correct", "partially correct", "incorrect"],
  ["relevant", "partially relevant", "irrelevant"],
  ["always", "mostly", "sometimes", "never"],
] as const;

/**
 * Matches a quoted word that the text demands as the answer, behind "rate it as" or "answer with", but not a JSON
 * key.
 */
const answerWord =
  /\b(?:rate|score|grade|label|classify|mark|answer|respond|reply|return|output)\b[^.?!"'`“]{0,40}["'`“]([^"'`”]{1,40})["'`”](?!\s*:)/giu;

const format =
  /(?:^|[.!?:]\s{1,9}|\n\s{0,9}|\b(?:please|must|should|to)\s{1,9})(?:respond|reply|answer|return|output)\b[^.?!]{0,40}\b(?:json|xml|yaml|a single (?:word|number|letter)|one word|only(?!\s+(?:when|if|where|after|for)\b))\b|\bdo not (?:explain|give (?:a )?reason)/iu;

/** Matches requests to follow instructions in the trace: judges never do, so the request is useless or harmful. */
const obedienceRequest =
  /\b(?:follow|obey|do|trust|adopt)\b[^.?!]{0,40}\b(?:the )?(?:trace|record|transcript|conversation|agent|user|tool)s?(?:'s)?\b[^.?!]{0,20}\b(?:says?|tells?|asks?|instructions?|orders?)\b|\bignore\b[^.?!]{0,40}\b(?:instructions?|rules|format|above)\b/iu;

/** True if a tag in angle brackets is closed later, so that it marks a section and is not a placeholder. */
const isClosedTag = (text: string, tag: string | undefined): boolean => tag !== undefined && text.includes(`</${tag}>`);

const hasWord = (text: string, word: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}-])${word}(?![\\p{L}\\p{N}-])`, "iu").test(text);

const sentencesOf = (text: string): readonly string[] => text.split(/(?<=[.!?])\s+|\n+/u);

const scaleWords = (text: string, labels: readonly string[]): readonly string[] => {
  const levelLabels = new Set(labels.map((label) => label.toLowerCase()));
  const familyWords = families.flatMap((family) => {
    const matchingWords = family.filter((word) => hasWord(text, word));
    return matchingWords.length < 2 ? [] : matchingWords;
  });
  const answerWords = [...text.matchAll(answerWord)].map(([, word = ""]) => word.trim().toLowerCase());
  return [...new Set([...familyWords, ...answerWords])].filter((word) => word !== "" && !levelLabels.has(word));
};

/** True for a text without a word, or with nothing but a stand-in for one. */
export const isBlank = (text: string): boolean =>
  /^[^\p{L}\p{N}]*(?:(?:asdf|description|desc|foo|metric|none|n\/a|tba|tbd|test|text|todo|xxx)[^\p{L}\p{N}]*)?$/iu.test(
    text,
  );

/** Checks a text that a judge reads. @param labels labels of the metric's levels. */
export const lintText = (text: string, labels: readonly string[]): readonly TextWarning[] => {
  const warnings: TextWarning[] = [];
  const [placeholderText] =
    [...text.matchAll(placeholder)].find(({ groups }) => !isClosedTag(text, groups?.["tag"])) ?? [];
  if (placeholderText !== undefined) {
    const message = `"${placeholderText}" is read as it stands: nothing is put in its place. The judge is shown the record beside this text; speak of "the record", "the input" or "the output".`;
    warnings.push({ rule: "placeholder", message });
  }
  const gradingSentence = sentencesOf(text).find(
    (sentence) => numberScale.test(sentence) && gradingWord.test(sentence),
  );
  if (gradingSentence !== undefined) {
    const [range = ""] = numberScale.exec(gradingSentence) ?? [];
    const message = `"${range}" is a scale of numbers: judges use its middle and disagree about its steps. Name two to seven levels and say what each means.`;
    warnings.push({ rule: "number_scale", message });
  }
  const words = scaleWords(text, labels);
  if (words.length > 0) {
    const message = `${words.map((word) => `"${word}"`).join(", ")} ${words.length === 1 ? "is no level" : "are no levels"} of the scale (${labels.join(", ")}): the judge cannot answer with ${words.length === 1 ? "it" : "them"}.`;
    warnings.push({ rule: "scale_word", message });
  }
  if (format.test(text)) {
    const message =
      "The form of the answer is fixed: evidence, a reason and yes or no for each statement. What asks for another form is left out of account at best.";
    warnings.push({ rule: "format", message });
  }
  if (obedienceRequest.test(text)) {
    const message =
      "A judge follows nothing that a record says, and these instructions cannot change that. Say what to look for instead.";
    warnings.push({ rule: "obedience", message });
  }
  return warnings;
};
