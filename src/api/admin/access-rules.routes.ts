import type { FastifyInstance } from 'fastify';
import type { Grantee, LogbookRule } from '../../auth/logbook-access.js';
import type { Permissions } from '../../auth/permissions.js';
import { AccessRulesSchema, getAccessRulesSchema } from './access-rules.schema.js';

export interface AccessRulesRoutesDeps {
  readonly permissions: Permissions;
  readonly requireSignInForReads: boolean;
}

/** Registers the route of the configured access rules, for administrators. */
export async function accessRulesRoutes(app: FastifyInstance, deps: AccessRulesRoutesDeps): Promise<void> {
  const { permissions, requireSignInForReads } = deps;
  app.addSchema(AccessRulesSchema);
  app.get('/access-rules', { config: { access: 'admin' }, schema: getAccessRulesSchema }, async () => ({
    permissions: permissions.mode,
    readsRequireSignIn: requireSignInForReads,
    logbooks: permissions.logbookRules.map(toRuleView),
  }));
}

function toRuleView({ logbook, read, write }: LogbookRule) {
  return { name: logbook, read: read?.map(toText) ?? null, write: write?.map(toText) ?? null };
}

/** Writes a grantee as in the file of access rules. */
function toText(grantee: Grantee): string {
  if (grantee.kind === 'signed-in') return 'signed-in';
  return grantee.kind === 'user' ? `user:${grantee.name}` : grantee.name;
}
