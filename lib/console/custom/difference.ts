/** A line of a text that has changed: it stayed, is new, or is gone. */
interface Line {
  readonly kind: "same" | "new" | "gone";
  readonly text: string;
}

/** A field that has changed, line by line. */
export interface FieldDifference {
  readonly field: string;
  readonly lines: readonly Line[];
}

type Definition = Readonly<Record<string, unknown>>;

const linesOf = (value: unknown): readonly string[] => {
  if (value === undefined || value === null || value === "") return [];
  return (typeof value === "string" ? value : JSON.stringify(value, null, 2)).split("\n");
};

/** Lines in the order of both texts, with the longest common run of lines kept. */
const compared = (before: readonly string[], after: readonly string[]): readonly Line[] => {
  const width = after.length + 1;
  /** Common lines from each pair of places on. */
  const common = new Uint32Array((before.length + 1) * width);
  const at = (left: number, right: number): number => common[left * width + right] ?? 0;
  for (let left = before.length - 1; left >= 0; left -= 1)
    for (let right = after.length - 1; right >= 0; right -= 1)
      common[left * width + right] =
        before[left] === after[right]
          ? at(left + 1, right + 1) + 1
          : Math.max(at(left + 1, right), at(left, right + 1));
  const lines: Line[] = [];
  let [left, right] = [0, 0];
  while (left < before.length || right < after.length) {
    const [old, now] = [before[left], after[right]];
    if (old !== undefined && old === now) {
      lines.push({ kind: "same", text: old });
      left += 1;
      right += 1;
    } else if (old !== undefined && (now === undefined || at(left + 1, right) >= at(left, right + 1))) {
      lines.push({ kind: "gone", text: old });
      left += 1;
    } else {
      lines.push({ kind: "new", text: now ?? "" });
      right += 1;
    }
  }
  return lines;
};

/** The fields that differ between two versions. */
export const differenceOf = (before: Definition, after: Definition): readonly FieldDifference[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((field) => {
    const [old, now] = [linesOf(before[field]), linesOf(after[field])];
    return old.join("\n") === now.join("\n") ? [] : [{ field, lines: compared(old, now) }];
  });
