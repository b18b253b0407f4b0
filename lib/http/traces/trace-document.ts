import { notFound } from "../../domain/refusal.ts";
import type { StoredRow, StoredTrace, TraceReader } from "../../store/traces/reader.ts";
import { Identified } from "../documents/identified.ts";

interface Asked {
  readonly project: { readonly id: string };
  readonly params: { readonly trace_id: string };
  readonly isConditional: boolean;
}

/** A form of the answer: with the trace's version it tells the answer. */
interface Form<Reply> {
  readonly name: readonly string[];
  readonly of: (found: StoredTrace) => Reply;
  /** What is said where there is no such trace. */
  readonly missing: string;
}

/**
 * An answer that is made of one trace. Who may have it already is asked by the trace's row alone, before the document is read.
 *
 * @throws Refusal `not-found` when there is no such trace.
 */
export const documentOfTrace = async <Reply>(
  { project, params: { trace_id }, isConditional }: Asked,
  traces: Pick<TraceReader, "get" | "locate">,
  { name, of, missing }: Form<Reply>,
): Promise<Identified<Reply>> => {
  const existing = <Found extends StoredRow>(found: Found | null): Found => {
    if (found === null) throw notFound(missing);
    return found;
  };
  const identityOf = ({ row }: StoredRow) => [project.id, trace_id, row.incarnation, row.version, ...name];
  const get = async (): Promise<StoredTrace> => existing(await traces.get(project.id, trace_id));

  if (isConditional) {
    const identity = identityOf(existing(await traces.locate(project.id, trace_id)));
    return new Identified(identity, async () => of(await get()));
  }
  const found = await get();
  return new Identified(identityOf(found), () => of(found));
};
