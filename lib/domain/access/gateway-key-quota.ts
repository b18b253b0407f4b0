/** Number of API Gateway keys that each organization may have as long as the deployment has free keys. */
const guaranteed = 10;

/** Limits on the API Gateway keys of a deployment and their distribution over organizations. */
export interface GatewayKeyQuota {
  /** Maximum number of keys in the deployment. */
  readonly max: number;
  /** An organization with fewer keys than this may take any free key. */
  readonly guaranteed: number;
  /**
   * Number of keys in the deployment from which on only organizations with fewer than `guaranteed` keys get another
   * key.
   */
  readonly openToAll: number;
  /** Maximum number of keys of one organization. */
  readonly perOrganization: number;
}

/** Computes the API Gateway key limits of a deployment with at most `max` keys. */
export const gatewayKeyQuota = (max: number): GatewayKeyQuota => ({
  max,
  guaranteed,
  openToAll: Math.floor(max * 0.8),
  perOrganization: Math.max(guaranteed, Math.floor(max / 10)),
});

/**
 * True if an organization may have another gateway key.
 *
 * @param total keys in use in the deployment.
 * @param organizationTotal keys of the organization.
 */
export const canAddGatewayKey = (
  { max, guaranteed, openToAll, perOrganization }: GatewayKeyQuota,
  total: number,
  organizationTotal: number,
): boolean =>
  total < max && (organizationTotal < guaranteed || (total < openToAll && organizationTotal < perOrganization));
