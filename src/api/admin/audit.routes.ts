import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AuditLog } from '../../auth/audit-log.js';
import type { StoredAuditRecord } from '../../auth/audit-store.port.js';
import { type AuditQuery, AuditRecordSchema, listAuditSchema } from './audit.schema.js';

export interface AuditRoutesDeps {
  readonly audit: AuditLog;
}

/** Registers the route of the audit records, for administrators. */
export async function auditRoutes(app: FastifyInstance, deps: AuditRoutesDeps): Promise<void> {
  app.addSchema(AuditRecordSchema);
  app.get('/audit', { config: { access: 'admin' }, schema: listAuditSchema }, listAuditHandler(deps));
}

const listAuditHandler =
  ({ audit }: AuditRoutesDeps) =>
  async (request: FastifyRequest<{ Querystring: AuditQuery }>) => {
    const { user, action, outcome, start, end, before, size = 100 } = request.query;
    const filter = { userName: user, action, outcome, startMs: start, endMs: end, beforeId: before };
    return (await audit.list(filter, size)).map(toAuditView);
  };

function toAuditView({ id, atMs, userName, action, target, from, outcome, detail }: StoredAuditRecord) {
  return { id, date: atMs, userName, action, target, from, outcome, detail };
}
