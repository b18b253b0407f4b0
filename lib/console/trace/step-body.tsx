import type { Span } from "../../client/interface.ts";
import { useLoad } from "../load.ts";
import { client } from "../sign-in.ts";
import { Content, Text } from "../parts/content.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { Waiting } from "../parts/waiting.tsx";

/** What a step took and gave, read when it is looked at where the trace came without. @param trace its id, where it did. */
export const StepBody = ({ span: bare, trace }: { readonly span: Span; readonly trace: string | null }) => {
  const { value, error, again } = useLoad(
    async (signal) =>
      trace === null
        ? null
        : await client.value.getSpan({ path: { trace_id: trace, span_id: bare.span_id } }, { signal }),
    [trace, bare.span_id],
  );
  const span = trace === null ? bare : value;
  if (error !== null) return <Trouble error={error} again={again} />;
  if (span === null) return <Waiting>Loading the step</Waiting>;
  return (
    <>
      <h3>Input</h3>
      <Content value={span.input} />
      <h3>Output</h3>
      {span.error === null ? <Content value={span.output} /> : <Text text={span.error} isCode />}
    </>
  );
};
