import type { CustomMetricPreview } from "../../client/interface.ts";

/** Collapsible text of the prompts that a judge is sent. */
export const JudgeMessages = ({
  messages,
  title,
}: {
  readonly messages: CustomMetricPreview["items"][number]["messages"];
  readonly title: string;
}) =>
  messages.length === 0 ? null : (
    <details>
      <summary>{title}</summary>
      {messages.map(({ system, user }) => (
        <>
          <h3>System</h3>
          <pre class="data" dir="auto" tabIndex={0}>
            {system}
          </pre>
          <h3>User</h3>
          <pre class="data" dir="auto" tabIndex={0}>
            {user}
          </pre>
        </>
      ))}
    </details>
  );
