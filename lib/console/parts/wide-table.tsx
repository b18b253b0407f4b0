import type { ComponentChildren } from "preact";

/** Table in a region that scrolls sideways where the table is wider than the page, by touch and by keyboard. */
export const WideTable = ({
  label,
  children,
}: {
  /** Accessible name of the region. */
  readonly label: string;
  readonly children: ComponentChildren;
}) => (
  <div class="sides" tabIndex={0} role="region" aria-label={label}>
    <table>{children}</table>
  </div>
);
