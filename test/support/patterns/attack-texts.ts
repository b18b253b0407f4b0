import { RegExpParser, type AST } from "@eslint-community/regexpp";

/** A text that makes a pattern search: `pump` is repeated between a beginning that matches and an end that does not. */
export interface Attack {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

/** Characters of each kind that patterns tell apart. */
const characters = Array.from(` \t\n\r\u00a0aefxAZ019_-.,:;'"\`*#/\\|<>()[]{}=!?@+$%^~&\u0000\u0085éжß中…“`);

/** Blanks, brackets and other repeated texts that are tried with every pattern. */
const commonPumps = [
  " ",
  "\t",
  "\n",
  " \n",
  "[",
  "(",
  "{{",
  "<",
  "[(",
  "](",
  "a",
  "0",
  "/",
  ".",
  "'",
  '"',
  "\\",
  "a ",
  "0 ",
  "- ",
];

const commonSuffixes = ["", "\u0000", "x", "\n\u0000"];

/** Bounds up to this many repetitions are a constant factor. */
const maxConstantBound = 1000;

type ClassNode = AST.CharacterClass | AST.CharacterSet | AST.ExpressionCharacterClass;

const isClass = (node: AST.Node): node is ClassNode =>
  ["CharacterClass", "CharacterSet", "ExpressionCharacterClass"].includes(node.type);

/** Samples of texts that nodes of one pattern match; `variant` chooses another alternative and another character. */
const sampler = (flags: string) => {
  const classes = new Map<string, readonly string[]>();
  const charactersOf = (node: ClassNode): readonly string[] => {
    const cached = classes.get(node.raw);
    if (cached !== undefined) return cached;
    const matcher = new RegExp(`^(?:${node.raw})$`, flags.replaceAll(/[gy]/gu, ""));
    const elements =
      node.type === "CharacterClass"
        ? node.elements.flatMap((element) =>
            element.type === "Character"
              ? [element.value]
              : element.type === "CharacterClassRange"
                ? [element.min.value]
                : [],
          )
        : [];
    const matched = [...new Set([...elements.map((code) => String.fromCodePoint(code)), ...characters])].filter(
      (character) => matcher.test(character),
    );
    classes.set(node.raw, matched);
    return matched;
  };
  const pick = <T>(list: readonly T[], variant: number): T | undefined => list[variant % Math.max(1, list.length)];
  const sample = (node: AST.Node, variant: number): string => {
    if (node.type === "Pattern" || node.type === "Group" || node.type === "CapturingGroup")
      return sampleAll(pick(node.alternatives, variant)?.elements ?? [], variant);
    if (node.type === "Quantifier")
      return sample(node.element, variant).repeat(Math.min(node.max, Math.max(node.min, 1)));
    if (node.type === "Character") return String.fromCodePoint(node.value);
    if (node.type === "Backreference")
      return [node.resolved]
        .flat()
        .slice(0, 1)
        .map((group) => sample(group, variant))
        .join("");
    return isClass(node) ? (pick(charactersOf(node), variant) ?? "") : "";
  };
  const sampleAll = (nodes: readonly AST.Node[], variant: number): string =>
    nodes.map((node) => sample(node, variant)).join("");
  return { sample, sampleAll };
};

/** Returns attacks on each repetition of a pattern, and common ones. */
export const attacksOn = (source: string, flags: string): readonly Attack[] => {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  const { sample, sampleAll } = sampler(flags);
  const attacks = new Map<string, Attack>();
  const add = (prefix: string, pump: string, ...suffixes: readonly string[]): void => {
    if (pump !== "")
      for (const suffix of [...suffixes, ...commonSuffixes])
        attacks.set(JSON.stringify([prefix, pump, suffix]), { prefix, pump, suffix });
  };
  const visit = (alternatives: readonly AST.Alternative[], prefix: string): void => {
    for (const { elements } of alternatives)
      for (const [index, element] of elements.entries()) {
        const begin = prefix + sampleAll(elements.slice(0, index), 0);
        if ("alternatives" in element) visit(element.alternatives, begin);
        if (element.type !== "Quantifier") continue;
        if ("alternatives" in element.element) visit(element.element.alternatives, begin);
        if (element.max - element.min < maxConstantBound) continue;
        for (const variant of [0, 1, 2, 3, 4, 5]) {
          const repeated = sample(element.element, variant);
          const minimal = sample(element, variant);
          add(begin, repeated, `${sampleAll(elements.slice(index + 1), variant)}\u0000`);
          add("a", repeated);
          add("", repeated);
          add("", begin + minimal);
          add(begin, begin + minimal);
          add(begin, sampleAll(elements.slice(index + 1), variant));
        }
      }
  };
  visit(pattern.alternatives, "");
  for (const variant of pattern.alternatives.keys()) add("", sample(pattern, variant));
  for (const pump of commonPumps) add("", pump);
  return [...attacks.values()];
};

/** The text of an attack, of about `length` characters. */
export const attackText = ({ prefix, pump, suffix }: Attack, length: number): string =>
  prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix;
