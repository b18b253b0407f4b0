import type { CustomMetric } from "../../client/interface.ts";
import { differenceOf } from "./difference.ts";

const marks = {
  same: [" ", ""],
  new: ["+", "new: "],
  gone: ["−", "gone: "],
} as const;

/** What changed between two versions, field by field and line by line: by sign, word and colour. */
export const DifferenceOf = ({ before, after }: { readonly before: CustomMetric; readonly after: CustomMetric }) => {
  const fields = differenceOf(before.definition, after.definition);
  return (
    <section class="part" aria-label="Difference">
      <h2>
        From version {before.version} to version {after.version}
      </h2>
      {fields.length === 0 && <p class="faint">They say the same.</p>}
      {fields.map(({ field, lines }) => (
        <div key={field}>
          <h3>{field.replaceAll("_", " ")}</h3>
          <ol class="data lines">
            {lines.map(({ kind, text }) => (
              <li class={kind}>
                <span aria-hidden="true">{marks[kind][0]}</span>
                <span class="unseen">{marks[kind][1]}</span>
                <code dir="auto">{text}</code>
              </li>
            ))}
          </ol>
        </div>
      ))}
    </section>
  );
};
