import type { Json, JsonObject } from "../json.ts";
import type { IdentifiedSpan } from "./input.ts";
import type { Span } from "./trace.ts";

/** Keys of a span's metadata about events that were sent apart from it. */
export const noteKeys = {
  /** The events, as `Note`s in the order of their times. */
  notes: "otel.logs",
  /** True of a span of which nothing but such events has come. */
  awaited: "otel.awaits_span",
} as const;

/** Events that are kept of a span: the first ones. */
const mostNotes = 100;

/** An event that was sent apart from its span, and what it says of it. */
export type Note = {
  readonly name: string;
  readonly at: string | null;
  /** The whole conversation, where one event tells all of it. */
  readonly input?: Json;
  readonly output?: Json;
  /** Messages of the conversation, where each has its own event. */
  readonly asked?: readonly Json[];
  readonly answered?: readonly Json[];
  /** What else it says. */
  readonly attributes?: JsonObject;
};

type Noted = Pick<IdentifiedSpan, "metadata">;

/** Whether a span is one of which nothing but such events has come. */
export const isAwaited = ({ metadata }: Noted): boolean => metadata?.[noteKeys.awaited] === true;

const isNote = (value: Json): value is Note & JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);

const notesOf = ({ metadata }: Noted): readonly (Note & JsonObject)[] => {
  const notes = metadata?.[noteKeys.notes] ?? [];
  return Array.isArray(notes) ? (notes as readonly Json[]).filter(isNote) : [];
};

const before = ([at, text]: readonly [string, string], [otherAt, other]: readonly [string, string]): number => {
  if (at !== otherAt) return at < otherAt ? -1 : 1;
  return text < other ? -1 : text === other ? 0 : 1;
};

/** Notes in the order of their times, each once: the same whatever order they came in. */
export const orderedNotes = <Each extends Note>(notes: readonly Each[]): readonly Each[] => {
  const byText = new Map(notes.map((note) => [JSON.stringify(note), note]));
  return [...byText]
    .toSorted(([text, { at }], [other, { at: otherAt }]) => before([at ?? "", text], [otherAt ?? "", other]))
    .slice(0, mostNotes)
    .map(([, note]) => note);
};

const messages = (notes: readonly Note[], side: "asked" | "answered"): Json => {
  const said = notes.flatMap((note) => note[side] ?? []);
  return said.length === 0 ? null : said;
};

/** What a model was asked and answered, as the events of its call tell it; null where they do not. */
export const saidByNotes = (notes: readonly Note[]): { readonly input: Json; readonly output: Json } => ({
  input: notes.findLast(({ input }) => input !== undefined)?.input ?? messages(notes, "asked"),
  output: notes.findLast(({ output }) => output !== undefined)?.output ?? messages(notes, "answered"),
});

/** A stored span after events of it came. What it tells itself, or was set otherwise, stays. */
export const withNotes = (span: Span, sent: Noted): Span => {
  const [had, has] = [notesOf(span), orderedNotes([...notesOf(span), ...notesOf(sent)])];
  const [was, is] = [saidByNotes(had), saidByNotes(has)];
  const follows = (value: Json, told: Json): boolean =>
    value === null || (told !== null && JSON.stringify(value) === JSON.stringify(told));
  return {
    ...span,
    input: follows(span.input, was.input) ? is.input : span.input,
    output: follows(span.output, was.output) ? is.output : span.output,
    metadata: { ...span.metadata, [noteKeys.notes]: [...has] },
  };
};

/** A span's metadata once it has come itself. */
export const withoutAwaiting = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== noteKeys.awaited));
