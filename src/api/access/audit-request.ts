import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditRecord } from '../../auth/audit-store.port.js';
import { pathOf } from '../../http/request/request-log.js';
import { quoted } from '../../kernel/fault.js';
import { isReading } from './authorize-request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The object of the request, where its URL does not name it; empty: the path. */
    auditTarget: string;
  }
}

export interface RequestAuditOptions {
  readonly rootPath: string;
  /** Records a request that wrote or tried to. */
  readonly audit: (event: Omit<AuditRecord, 'atMs'>) => void;
}

/** Records every request of `app` that wrote or tried to. */
export function auditRequests(app: FastifyInstance, options: RequestAuditOptions): void {
  app.decorateRequest('auditTarget', '');
  app.addHook('onResponse', async (request, reply) => auditWrite(request, reply, options));
}

function auditWrite(request: FastifyRequest, reply: FastifyReply, { audit, rootPath }: RequestAuditOptions): void {
  const { url = '', config } = request.routeOptions;
  // Open routes change nothing but sessions; the authenticator records signing in and out.
  if (isReading(request) || request.is404 || config.access === 'open') return;
  // Anonymous requests would flood the records; the authenticator records wrong passwords.
  if (!request.principal) return;
  const status = reply.statusCode;
  const { token } = request.principal;
  audit({
    userName: request.principal.userName,
    action: `${request.method} ${url.startsWith(rootPath) ? url.slice(rootPath.length) : url}`,
    target: request.auditTarget || pathOf(request),
    from: request.ip,
    outcome: status < 400 ? 'done' : status < 500 ? 'refused' : 'failed',
    detail: [request.faultCode, token && `token ${token.id} ${quoted(token.name)}`].filter(Boolean).join('; '),
  });
}
