import type { ComponentChildren } from "preact";

/**
 * Line above a list: buttons and links, the shortcut of the first one, and the number of items. The number comes last: when it arrives,
 * nothing moves away from a click.
 */
export const ListActions = ({
  children,
  count,
}: {
  readonly children: ComponentChildren;
  /** Number of items with their noun; nothing, or a note, while the list loads. */
  readonly count: ComponentChildren;
}) => (
  <div class="said">
    {children}
    <span class="faint keys writes">
      <kbd>n</kbd> new
    </span>
    {count}
  </div>
);
