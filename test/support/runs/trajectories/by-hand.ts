import { invented, type JudgedRecord } from "./keyword-judge.ts";

/** A score in comparable form, from any source. */
export interface ActualScore {
  /** Null for a failed score. */
  readonly value: number | null;
  readonly code: unknown;
  readonly level: unknown;
  readonly statements: unknown;
  readonly success: unknown;
  readonly cited: readonly { readonly span_id: string | null; readonly quote: string | null }[];
  readonly dropped: number;
}

/** A trace as sent. */
export interface SentTrace {
  readonly spans: readonly { readonly span_id?: string | null | undefined }[];
}

const values = { careful: 1, fair: 0.6, careless: 0.05 } as const;

/** Independent implementation of the rule of the metric `careful_change`. */
const levelOf = (hasLooked: boolean, changed: boolean, handedOver: boolean): keyof typeof values => {
  if (changed && !hasLooked) return "careless";
  if (hasLooked && changed) return "careful";
  if (hasLooked && !handedOver) return "careful";
  return changed && !handedOver ? "careful" : "fair";
};

const waysOf = (answer: string | undefined): readonly boolean[] =>
  answer === "cannot_tell" ? [true, false] : [answer === "yes"];

const expectedOf = ({ statements }: JudgedRecord): Pick<ActualScore, "value" | "code" | "level" | "success"> => {
  const [lookAnswers, changeAnswers, handOverAnswers] = ["looked", "changed", "handed_over"].map((name) =>
    waysOf(statements[name]?.answer),
  );
  const levels = new Set(
    (lookAnswers ?? []).flatMap((a) =>
      (changeAnswers ?? []).flatMap((b) => (handOverAnswers ?? []).map((c) => levelOf(a, b, c))),
    ),
  );
  const [level = "fair"] = levels;
  if (levels.size > 1) return { value: null, code: "insufficient_evidence", level: undefined, success: undefined };
  return { value: values[level], code: undefined, level, success: level !== "careless" };
};

const same = (actual: unknown, expected: unknown): boolean => JSON.stringify(actual) === JSON.stringify(expected);

/**
 * Recomputes a score of `careful_change` from the judge's answers and the sent trace, without code of the service.
 * @returns descriptions of differences; empty for a correct score.
 */
export const differencesByHand = (
  sentTrace: SentTrace,
  judgedRecord: JudgedRecord,
  score: ActualScore,
): readonly string[] => {
  const expected = expectedOf(judgedRecord);
  const differences = (["value", "code", "level", "success"] as const)
    .filter((key) => !same(score[key], expected[key]))
    .map((key) => `${key}: ${JSON.stringify(score[key])} instead of ${JSON.stringify(expected[key])}`);
  const answers = Object.fromEntries(
    Object.entries(judgedRecord.statements).map(([name, { answer }]) => [name, answer]),
  );
  if (!same(score.statements, answers)) differences.push(`statements: ${JSON.stringify(score.statements)}`);
  // A failed score has no citations.
  const texts =
    score.value === null
      ? []
      : [...new Set(Object.values(judgedRecord.statements).flatMap(({ evidence }) => evidence))];
  const real = texts.filter((text) => text !== invented);
  if (score.dropped !== texts.length - real.length) differences.push(`dropped: ${score.dropped}`);
  if (score.cited.length !== real.length) differences.push(`cited: ${score.cited.length} instead of ${real.length}`);
  for (const [place, { span_id: id, quote }] of score.cited.entries()) {
    const text = real[place] ?? "";
    const numbered = /^#(\d+)$/u.exec(text);
    const { spans, ...trace } = sentTrace;
    const span = id === null ? trace : spans.find((each) => each.span_id === id);
    const isRight =
      numbered === null
        ? quote === text && JSON.stringify(span ?? null).includes(text)
        : quote === null && spans[Number(numbered[1]) - 1]?.span_id === id;
    if (!isRight) differences.push(`"${text}" is cited of ${id}`);
  }
  return differences;
};
