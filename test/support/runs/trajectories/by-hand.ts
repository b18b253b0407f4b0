import { invented, type LookedRecord } from "./looking-judge.ts";

/** A score as it was found, whoever gave it. */
export interface FoundScore {
  /** Null: it failed. */
  readonly value: number | null;
  readonly code: unknown;
  readonly level: unknown;
  readonly statements: unknown;
  readonly success: unknown;
  readonly cited: readonly { readonly span_id: string | null; readonly quote: string | null }[];
  readonly dropped: number;
}

/** A trace as it was sent. */
export interface SentTrace {
  readonly spans: readonly { readonly span_id?: string | null | undefined }[];
}

const values = { careful: 1, fair: 0.6, careless: 0.05 } as const;

/** The rule of `careful_change`, once more and in other words. */
const levelOf = (looked: boolean, changed: boolean, handedOver: boolean): keyof typeof values => {
  if (changed && !looked) return "careless";
  if (looked && changed) return "careful";
  if (looked && !handedOver) return "careful";
  return changed && !handedOver ? "careful" : "fair";
};

const waysOf = (answer: string | undefined): readonly boolean[] =>
  answer === "cannot_tell" ? [true, false] : [answer === "yes"];

const expectedOf = ({ statements }: LookedRecord): Pick<FoundScore, "value" | "code" | "level" | "success"> => {
  const [looked, changed, over] = ["looked", "changed", "handed_over"].map((name) => waysOf(statements[name]?.answer));
  const levels = new Set(
    (looked ?? []).flatMap((a) => (changed ?? []).flatMap((b) => (over ?? []).map((c) => levelOf(a, b, c)))),
  );
  const [level = "fair"] = levels;
  if (levels.size > 1) return { value: null, code: "insufficient_evidence", level: undefined, success: undefined };
  return { value: values[level], code: undefined, level, success: level !== "careless" };
};

const same = (found: unknown, expected: unknown): boolean => JSON.stringify(found) === JSON.stringify(expected);

/**
 * Makes a score of `careful_change` again from what the judge said and from the trace as it was sent, by nothing that the service does.
 *
 * @returns what differs, in words; nothing where the score is right.
 */
export const differencesByHand = (sent: SentTrace, said: LookedRecord, found: FoundScore): readonly string[] => {
  const expected = expectedOf(said);
  const differences = (["value", "code", "level", "success"] as const)
    .filter((key) => !same(found[key], expected[key]))
    .map((key) => `${key}: ${JSON.stringify(found[key])} instead of ${JSON.stringify(expected[key])}`);
  const answers = Object.fromEntries(Object.entries(said.statements).map(([name, { answer }]) => [name, answer]));
  if (!same(found.statements, answers)) differences.push(`statements: ${JSON.stringify(found.statements)}`);
  // What failed cites nothing.
  const texts =
    found.value === null ? [] : [...new Set(Object.values(said.statements).flatMap(({ evidence }) => evidence))];
  const real = texts.filter((text) => text !== invented);
  if (found.dropped !== texts.length - real.length) differences.push(`dropped: ${found.dropped}`);
  if (found.cited.length !== real.length) differences.push(`cited: ${found.cited.length} instead of ${real.length}`);
  for (const [place, { span_id: id, quote }] of found.cited.entries()) {
    const text = real[place] ?? "";
    const numbered = /^#(\d+)$/u.exec(text);
    const { spans, ...trace } = sent;
    const span = id === null ? trace : spans.find((each) => each.span_id === id);
    const isRight =
      numbered === null
        ? quote === text && JSON.stringify(span ?? null).includes(text)
        : quote === null && spans[Number(numbered[1]) - 1]?.span_id === id;
    if (!isRight) differences.push(`"${text}" is cited of ${id}`);
  }
  return differences;
};
