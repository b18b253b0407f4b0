import type { CustomMetricPreview } from "../../client/interface.ts";

/** The exact words that a judge is sent, folded. */
export const Messages = ({
  of,
  title,
}: {
  readonly of: CustomMetricPreview["items"][number]["messages"];
  readonly title: string;
}) =>
  of.length === 0 ? null : (
    <details>
      <summary>{title}</summary>
      {of.map(({ system, user }) => (
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
