import { type Claims, findClaim } from './find-claim.js';

/**
 * Whether the provider has omitted the groups because there are too many. Microsoft Entra ID then names another source
 * of the claim (`_claim_names`), or only says that the user has groups (`hasgroups`).
 */
export function hasLeftOutGroups(claims: Claims, groupsClaim: string | undefined): boolean {
  if (groupsClaim === undefined || findClaim(claims, groupsClaim) !== undefined) return false;
  const elsewhere = claims._claim_names;
  const names = [groupsClaim, groupsClaim.replace(/[.].*/s, '')];
  if (typeof elsewhere === 'object' && elsewhere !== null && names.some((name) => Object.hasOwn(elsewhere, name))) {
    return true;
  }
  return groupsClaim === 'groups' && ['true', '1'].includes(String(claims.hasgroups).toLowerCase());
}

/** Advice for an administrator of the provider. */
export const overageAdvice =
  'At the provider, assign roles of the application and set oidcGroupsClaim=roles; or let it send only the groups that are assigned to the application.';

const entraHosts = /(^|\.)(login\.microsoftonline\.(com|us)|login\.partner\.microsoftonline\.cn|sts\.windows\.net)$/i;

/** Returns a note about the limit of Microsoft Entra ID for groups; undefined for other providers and claims. */
export function describeGroupLimit(issuer: string, groupsClaim: string | undefined): string | undefined {
  if (groupsClaim !== 'groups' || !entraHosts.test(new URL(issuer).hostname)) return undefined;
  return `Users in more than 200 groups get none, and no rights that groups give, because Microsoft Entra ID then leaves the claim out. ${overageAdvice}`;
}
