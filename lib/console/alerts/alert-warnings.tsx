/** Advice of the service about a rule. */
export const AlertWarnings = ({ warnings }: { readonly warnings: readonly string[] }) =>
  warnings.length === 0 ? null : (
    <ul class="notes" aria-label="Warnings">
      {warnings.map((warning) => (
        <li class="remark" dir="auto">
          <span aria-hidden="true">!</span> <span class="unseen">Warning:</span> {warning}
        </li>
      ))}
    </ul>
  );
