import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isOfScript } from '../../http/request/script-requests.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Returns the path of the web page that shows the same data; undefined when there is none. */
    pageOf?: (params: unknown) => string | undefined;
  }
}

/** Redirects a browser that opens the address of data to the page that shows them. Programs receive the data. */
export function redirectToPages(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const page = request.context.route.config.pageOf?.(request.params);
    if (page !== undefined) reply.header('vary', 'Accept');
    if (page !== undefined && isForPerson(request)) reply.header('cache-control', 'no-cache').redirect(page, 302);
    else done();
  });
}

/** Whether a browser asks for a page. Java's HTTP client is excluded, because all its requests ask for HTML too. */
function isForPerson({ headers }: FastifyRequest): boolean {
  if (!/text\/html/i.test(headers.accept ?? '')) return false;
  if (isOfScript(headers) || /^Java\//.test(headers['user-agent'] ?? '')) return false;
  const weights = parseAccept(headers.accept ?? '');
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  return (weights.get('text/html') ?? 0) > json;
}

function parseAccept(header: string): Map<string, number> {
  return new Map(
    header.split(',').map((item) => {
      const [type = '', ...params] = item.split(';').map((part) => part.trim().toLowerCase());
      const quality = params.find((param) => param.startsWith('q='))?.slice(2);
      return [type, quality === undefined ? 1 : Number.parseFloat(quality) || 0];
    }),
  );
}
