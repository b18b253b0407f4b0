import { useMemo } from "preact/hooks";
import type { Span } from "../../client/interface.ts";
import { droppedParts } from "../../domain/dropped-parts.ts";
import { useLoad } from "../use-load.ts";
import { client } from "../sign-in.ts";
import { chatIn, modelCallOf, type Chat } from "../content/chat.ts";
import { ChatView, ModelCallView } from "../content/chat-view.tsx";
import { Content, Text } from "../content/content.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";

const ChatOrContent = ({
  chat,
  value,
  find,
}: {
  readonly chat: Chat | null;
  readonly value: unknown;
  readonly find: string;
}) => (chat === null ? <Content value={value} /> : <ChatView chat={chat} find={find} />);

/** Input and output as chat, text or data. @param find text of a search, whose message is scrolled into view. */
export const InputOutput = ({
  input,
  output,
  kind,
  find = "",
}: Pick<Span, "input" | "output" | "kind"> & { readonly find?: string }) => {
  const chats = useMemo(() => [chatIn(input, kind, "input"), chatIn(output, kind, "output")] as const, [input, output]);
  return (
    <>
      <h3>Input</h3>
      <ChatOrContent chat={chats[0]} value={input} find={find} />
      <h3>Output</h3>
      <ChatOrContent chat={chats[1]} value={output} find={find} />
    </>
  );
};

/**
 * Input and output of a span: a model call as a conversation, others as chat, text or data; with what the exporter left out.
 *
 * @param find text of a search, whose message is scrolled into view.
 */
export const SpanInputOutput = ({ span, find = "" }: { readonly span: Span; readonly find?: string }) => {
  const dropped = droppedParts(span.metadata);
  const call = useMemo(() => modelCallOf(span), [span]);
  return (
    <>
      {call === null ? <InputOutput {...span} find={find} /> : <ModelCallView call={call} find={find} />}
      {dropped !== null && <p class="facts">Left out by the exporter: {dropped}</p>}
    </>
  );
};

/** Input and output of a span. @param trace id of the trace to load them from; null if the span already has them. */
export const SpanContent = ({ span: skeleton, trace }: { readonly span: Span; readonly trace: string | null }) => {
  const { value, error, reload } = useLoad(
    async (signal) =>
      trace === null
        ? null
        : await client.value.getSpan({ path: { trace_id: trace, span_id: skeleton.span_id } }, { signal }),
    [trace, skeleton.span_id],
  );
  const span = trace === null ? skeleton : value;
  if (error !== null) return <ErrorAlert error={error} reload={reload} />;
  if (span === null) return <LoadingNote>Loading the span</LoadingNote>;
  return (
    <>
      <SpanInputOutput span={span} />
      {span.error !== null && <Text text={span.error} isCode />}
    </>
  );
};
