import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { AuditOutcome, AuditRecord } from '../../auth/audit-store.port.js';
import type { AbortedAt } from '../../http/request/aborted-requests.js';
import { pathOf } from '../../http/request/request-log.js';
import { upTo } from '../../kernel/cache-limits.js';
import { quoted } from '../../kernel/fault.js';
import { isInApi, isReading } from './authorize-request.js';

declare module '../../http/request/request-context.js' {
  interface RequestContext {
    /** Target of the request in the audit log, if its URL does not name it. Default: the path. */
    auditTarget?: string;
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Excludes the route from the audit: its requests are frequent, and no other user sees their effects. */
    audit?: 'none';
  }
}

export interface RequestAuditOptions {
  readonly rootPath: string;
  /** Adds the record of a request to the audit log. */
  readonly audit: (event: Omit<AuditRecord, 'atMs'>) => void;
}

/** Period in which repeated aborted downloads from one address are recorded only once. */
const abortIntervalMs = 60_000;

export interface RequestAudit {
  /** Records each request of a signed-in user that wrote or tried to write, except to open and excluded routes. */
  watch(app: FastifyInstance): void;
  /**
   * Records a write of a signed-in user, or a download from the API, whose client disconnected before the response was
   * sent. Records only one download per address and minute, so that a flood of downloads cannot fill the audit log.
   */
  onAborted(request: FastifyRequest, at: AbortedAt): void;
}

export function createRequestAudit(options: RequestAuditOptions): RequestAudit {
  const recentDownloads = new LRUCache<string, true>({ ...upTo(10_000), ttl: abortIntervalMs });
  return {
    watch(app) {
      app.addHook('onResponse', (request, reply, done) => {
        const { statusCode: status } = reply;
        const outcome = status < 400 ? 'done' : status < 500 ? 'refused' : 'failed';
        if (isAudited(request)) recordRequest(request, outcome, [request.context.faultCode ?? ''], options);
        done();
      });
    },
    onAborted(request, at) {
      // Leaving a page aborts its unfinished downloads of files of the web client. They are not recorded.
      const isDownload = at === 'download' && isReading(request) && isInApi(request, options);
      if (isDownload ? recentDownloads.has(request.ip) : !isAudited(request)) return;
      if (isDownload) recentDownloads.set(request.ip, true);
      recordRequest(request, 'failed', [`aborted by the client (${at})`, request.context.faultCode ?? ''], options);
    },
  };
}

function isAudited(request: FastifyRequest): boolean {
  // Open routes sign users in and out, which the authenticator records, or stop mails. Anonymous requests would flood
  // the audit log.
  if (isReading(request) || request.is404 || request.context.principal === undefined) return false;
  const { access, audit } = request.context.route.config ?? {};
  return access !== 'open' && audit !== 'none';
}

function recordRequest(
  request: FastifyRequest,
  outcome: AuditOutcome,
  details: readonly string[],
  { audit, rootPath }: RequestAuditOptions,
): void {
  const { url = '' } = request.context.route;
  const token = request.context.principal?.token;
  audit({
    userName: request.context.principal?.userName ?? '',
    action: `${request.method} ${url.startsWith(rootPath) ? url.slice(rootPath.length) : url}`,
    target: request.context.auditTarget ?? pathOf(request),
    from: request.ip,
    outcome,
    detail: [...details, token && `token ${token.id} ${quoted(token.name)}`].filter(Boolean).join('; '),
  });
}
