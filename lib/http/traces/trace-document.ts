import { uuidInProject } from "../../domain/access/identity.ts";
import { notFound } from "../../domain/refusal.ts";
import type { StoredRow, StoredTrace, TraceReader } from "../../store/traces/reader.ts";
import { WithETag } from "../answers.ts";

/** Parts of a request that reads one trace. */
interface TraceRequest {
  readonly project: { readonly id: string };
  readonly params: { readonly trace_id: string };
  readonly hasIfNoneMatch: boolean;
}

/** View of a trace that a route answers, such as the whole trace, its skeleton or one span. */
interface TraceView<Reply> {
  /** Name of the view. Together with the version of the trace it identifies the answer. */
  readonly name: readonly string[];
  readonly render: (stored: StoredTrace) => Reply;
  /** Message of the 404 reply. */
  readonly notFoundDetail: string;
}

/**
 * Returns the answer of a route that reads one trace, with an ETag from the trace's incarnation and version. For a request
 * with `If-None-Match` only the packed row is read first; the document is read when the ETag does not match.
 *
 * @throws Refusal `not-found` when the trace does not exist.
 */
export const documentOfTrace = async <Reply>(
  { project, params, hasIfNoneMatch }: TraceRequest,
  traces: Pick<TraceReader, "get" | "locate">,
  { name, render, notFoundDetail }: TraceView<Reply>,
): Promise<WithETag<Reply>> => {
  const traceId = uuidInProject(project.id, params.trace_id);
  const existing = <Stored extends StoredRow>(stored: Stored | null): Stored => {
    if (stored === null) throw notFound(notFoundDetail);
    return stored;
  };
  const identityOf = ({ row }: StoredRow) => [project.id, traceId, row.incarnation, row.version, ...name];
  const get = async (): Promise<StoredTrace> => existing(await traces.get(project.id, traceId));

  if (hasIfNoneMatch) {
    const identity = identityOf(existing(await traces.locate(project.id, traceId)));
    return new WithETag(identity, async () => render(await get()));
  }
  const storedTrace = await get();
  return new WithETag(identityOf(storedTrace), () => render(storedTrace));
};
