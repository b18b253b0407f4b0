/** Lines of a transcript: the head is always kept, the body may be shortened. */
export interface Section {
  readonly head: string;
  /** Indented already; empty when there is none. */
  readonly body: string;
  /** What is shortened first: 0 outputs of spans, 1 inputs and others of spans, 2 the trace's own. */
  readonly rank: 0 | 1 | 2;
  /** The span that it is of; null: of the trace itself. */
  readonly span: { readonly id: string; readonly number: number } | null;
}

/** Ranks in the order they give, and how many characters of a body each step leaves at least. */
const steps = [
  [0, 600],
  [1, 600],
  [2, 6000],
  [0, 120],
  [1, 120],
  [2, 1000],
] as const;

const isLowSurrogate = (text: string, index: number): boolean => {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

const mark = (missing: number): string => `\n [... ${missing} characters left out ...]\n `;

/** Beginning and end of a text in at most `limit` characters, saying between them how much is missing. */
const shortened = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  const kept = Math.max(0, limit - mark(text.length).length);
  let head = Math.ceil((kept * 2) / 3);
  let tail = text.length - (kept - head);
  // Half of a character would reach the judge as a replacement sign.
  if (isLowSurrogate(text, head)) head -= 1;
  if (isLowSurrogate(text, tail)) tail += 1;
  return text.slice(0, head) + mark(tail - head) + text.slice(tail);
};

/** The largest limit under which the lengths lose `excess` in sum, at least `floor`: the largest give first. */
const limitFor = (lengths: readonly number[], excess: number, floor: number): number => {
  const sorted = [...lengths].sort((a, b) => b - a);
  let cut = 0;
  for (const [index, length] of sorted.entries()) {
    const next = Math.max(floor, sorted[index + 1] ?? 0);
    const gain = (Math.max(length, floor) - next) * (index + 1);
    if (cut + gain >= excess) return Math.max(floor, Math.floor(next + (cut + gain - excess) / (index + 1)));
    cut += gain;
  }
  return floor;
};

const sizeOf = ({ head, body }: Section): number => head.length + 1 + (body === "" ? 0 : body.length + 1);

/** Characters of a transcript of these sections. */
export const totalSize = (sections: readonly Section[]): number =>
  sections.reduce((sum, section) => sum + sizeOf(section), 0);

/** Sections that fit the budget. The structure stays; only when heads alone are too many the middle ones go, which is said. */
export const shortenedTo = (budget: number, sections: readonly Section[]): readonly Section[] => {
  let current = sections;
  for (const [rank, floor] of steps) {
    const excess = totalSize(current) - budget;
    if (excess <= 0) return current;
    const lengths = current.filter((section) => section.rank === rank).map(({ body }) => body.length);
    const limit = limitFor(lengths, excess, floor);
    current = current.map((section) =>
      section.rank === rank ? { ...section, body: shortened(section.body, limit) } : section,
    );
  }
  if (totalSize(current) <= budget) return current;
  const half = (budget - 100) / 2;
  const fitting = (list: readonly Section[]): number => {
    let sum = 0;
    return list.findIndex((section) => (sum += sizeOf(section)) > half);
  };
  const first = fitting(current);
  const last = current.length - fitting(current.toReversed());
  const gap = {
    head: `[... ${last - first} parts of the record left out ...]`,
    body: "",
    rank: 2,
    span: null,
  } as const;
  return [...current.slice(0, first), gap, ...current.slice(last)];
};
