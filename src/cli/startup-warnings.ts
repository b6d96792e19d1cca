import type { SchemeSetting } from '../config/directory/schemes.js';
import type { ServiceOptions } from '../config/service-options.js';

/** Problem of a service that only readers could use, because it has no authentication provider. */
export const noSignIn =
  'authenticationProviders is not set, so no one can sign in. Set it to ldap or active_directory, or set oidcIssuer; “logbook init” asks for the required values. To try the service out, with users whose passwords are public: “logbook serve --demo”';

const loopback = /^(127\.|::1$|localhost$)/;

/** Finds settings that are valid, but insecure or contradictory. Each is described in one or two sentences. */
export function findStartupWarnings(options: ServiceOptions): string[] {
  const { auth } = options;
  const warnings: string[] = [];
  const reachable = isReachable(options);
  if (auth.providers.some(({ scheme }) => scheme === 'inMemory') && (reachable || auth.oidc)) {
    warnings.push(
      'The evaluation users admin and user can sign in from other hosts, and their passwords are public. Set authenticationProviders, or listen on 127.0.0.1.',
    );
  }
  if (auth.providers.some(isSampleDirectory) && reachable) {
    warnings.push(
      'The users of the sample directory can sign in from other hosts, and their passwords are public. Set embedded_ldap_ldif to an LDIF file of your own.',
    );
  }
  const { ADMIN: _admin, ...otherRoles } = auth.roleGroups;
  if (auth.permissions !== 'roles' && Object.values(otherRoles).some((groups) => groups.length > 0)) {
    warnings.push(
      'Groups are configured for roles, but roles have no effect: every signed-in user may write. Set permissions=roles.',
    );
  }
  const { blobs } = options.storage;
  const plain = blobs.kind === 's3' ? blobs.s3.endpoints.filter(isPlainElsewhere) : [];
  if (plain.length > 0) {
    warnings.push(`Files are not encrypted on their way to ${plain.join(', ')}. Use https:// in s3Endpoints.`);
  }
  if (options.storage.kind === 'postgres' && options.drainMs === 0) {
    warnings.push(
      'When this node stops, requests fail until the load balancer notices. Set drainDuration to a few intervals of its health check.',
    );
  }
  return warnings;
}

function isPlainElsewhere(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === 'http:' && !loopback.test(hostname.replace(/^\[|\]$/g, ''));
}

/** Finds settings that would surprise a newcomer. Each is described in one or two sentences. */
export function findStartupNotes({ auth }: ServiceOptions): string[] {
  const isAdminGroup = (name: string) => /^(cn=)?logbook-admins(,|$)/i.test(name);
  if (!auth.providers.some(isSampleDirectory) || auth.roleGroups.ADMIN.some(isAdminGroup)) return [];
  return [
    'In the sample directory, admin is in the group logbook-admins, which gives no role yet. Set adminGroups=logbook-admins to give it the role ADMIN.',
  ];
}

/**
 * Returns whether other machines can reach the service. A loopback address does not prevent that if a proxy is in
 * front.
 */
function isReachable({ listeners, http }: ServiceOptions): boolean {
  return !loopback.test(listeners.host) || http.publicUrl !== undefined || http.trustedProxies.length > 0;
}

function isSampleDirectory(setting: SchemeSetting): boolean {
  return setting.scheme === 'embeddedLdap' && setting.settings.ldifFile === undefined;
}
