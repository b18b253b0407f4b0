/** Keys that every organization may have while there is any place at all. */
const few = 10;

/** Which places there are for gateway keys, and how they are shared between organizations. */
export interface GatewayKeyRoom {
  /** Places altogether. */
  readonly most: number;
  /** An organization that has fewer keys takes any place. */
  readonly few: number;
  /** Places that one with more keys may take: the last fifth is for those with few. */
  readonly open: number;
  /** Keys that one organization may have. */
  readonly share: number;
}

export const gatewayKeyRoom = (most: number): GatewayKeyRoom => ({
  most,
  few,
  open: Math.floor(most * 0.8),
  share: Math.max(few, Math.floor(most / 10)),
});

/** Whether an organization that has so many keys may have another, where there are so many altogether. */
export const hasRoom = ({ most, few, open, share }: GatewayKeyRoom, total: number, own: number): boolean =>
  total < most && (own < few || (total < open && own < share));
