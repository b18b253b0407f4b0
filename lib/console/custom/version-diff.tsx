import type { CustomMetric } from "../../client/interface.ts";
import { diffDefinitions } from "./diff.ts";

const lineLabels = {
  same: [" ", ""],
  new: ["+", "added: "],
  gone: ["−", "removed: "],
} as const;

/** Line diff of two versions of a metric, field by field. */
export const VersionDiff = ({ before, after }: { readonly before: CustomMetric; readonly after: CustomMetric }) => {
  const fields = diffDefinitions(before.definition, after.definition);
  return (
    <section class="part" aria-label="Difference">
      <h2>
        From version {before.version} to version {after.version}
      </h2>
      {fields.length === 0 && <p class="faint">No differences.</p>}
      {fields.map(({ field, lines }) => (
        <div key={field}>
          <h3>{field.replaceAll("_", " ")}</h3>
          <ol class="data lines">
            {lines.map(({ kind, text }) => (
              <li class={kind}>
                <span aria-hidden="true">{lineLabels[kind][0]}</span>
                <span class="unseen">{lineLabels[kind][1]}</span>
                <code dir="auto">{text}</code>
              </li>
            ))}
          </ol>
        </div>
      ))}
    </section>
  );
};
