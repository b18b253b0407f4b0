/** Frequent English words that no other large language writes alike. */
const englishWords = new Set(
  "about above according after again all and any answer answers are because been before being between but by can check checks correct could customer did does each either every evaluates for from given had has have helpful how if its it keep may might must neither not of only or other output polite question quality response should than that the their them then there these they this those through to tool under user used uses using were what when where whether which while who whole whose why will with within without would you your".split(
    " ",
  ),
);

/** Frequent words of German, French, Spanish, Italian, Portuguese, Dutch, Swedish and Polish that English lacks. */
const foreignWords = new Set(
  "aan agente als auf aus av bei bij che com con czy dans das de del della dem den der des det die dla dos du eine einem einen einer el elle em en ein est et för gli hat het ich ihr il inte ist jest juste kein la las le les los met mit nicht nie não och och od oder om os på para pas por que qui se sich sind sie sobre som sur te um uma un una und une unos van vom von voor wenn werden wie wird wurde zijn zu zum zur él és".split(
    " ",
  ),
);

/** Minimum words of a text without a single English one, and minimum if a letter has an accent. */
const [minWords, minAccentedWords] = [8, 2] as const;

/** Matches parts of a text that are in no language: markup, code and addresses. */
const markup = /<[^<>]{0,500}>|`[^`]{0,500}`|\bhttps?:\S{0,500}/gu;

/** True unless a text has clear signs of another language; short texts without a sign count as English. */
export const isEnglish = (fullText: string): boolean => {
  const text = fullText.replaceAll(markup, " ");
  const letters = text.match(/\p{L}/gu) ?? [];
  const latinCount = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  if (latinCount < letters.length * 0.7) return false;
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const englishCount = words.filter((word) => englishWords.has(word)).length;
  const foreignCount = words.filter((word) => foreignWords.has(word)).length;
  if (englishCount > 0) return foreignCount <= englishCount;
  const hasAccent = /[^\P{L}a-z]|[¿¡]/iu.test(text);
  return foreignCount === 0 && words.length < (hasAccent ? minAccentedWords : minWords);
};
