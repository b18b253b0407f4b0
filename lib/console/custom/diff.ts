/** Line of a diff: unchanged, added ("new") or removed ("gone"). */
interface DiffLine {
  readonly kind: "same" | "new" | "gone";
  readonly text: string;
}

/** Line diff of one field. */
export interface FieldDiff {
  readonly field: string;
  readonly lines: readonly DiffLine[];
}

type Definition = Readonly<Record<string, unknown>>;

const linesOf = (value: unknown): readonly string[] => {
  if (value === undefined || value === null || value === "") return [];
  return (typeof value === "string" ? value : JSON.stringify(value, null, 2)).split("\n");
};

/** Computes a line diff by the longest common subsequence. */
const diffLines = (before: readonly string[], after: readonly string[]): readonly DiffLine[] => {
  const width = after.length + 1;
  /** Length of the longest common subsequence of `before` from row i and `after` from row j, at [i * width + j]. */
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1)
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [oldLine, newLine] = [before[i], after[j]];
    if (oldLine !== undefined && oldLine === newLine) {
      lines.push({ kind: "same", text: oldLine });
      i += 1;
      j += 1;
    } else if (oldLine !== undefined && (newLine === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: "gone", text: oldLine });
      i += 1;
    } else {
      lines.push({ kind: "new", text: newLine ?? "" });
      j += 1;
    }
  }
  return lines;
};

/** Computes the fields that differ between two versions of a metric's definition. */
export const diffDefinitions = (before: Definition, after: Definition): readonly FieldDiff[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((field) => {
    const [oldLines, newLines] = [linesOf(before[field]), linesOf(after[field])];
    return oldLines.join("\n") === newLines.join("\n") ? [] : [{ field, lines: diffLines(oldLines, newLines) }];
  });
