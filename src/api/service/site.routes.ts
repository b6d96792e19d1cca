import type { FastifyInstance } from 'fastify';
import type { RequestMetrics } from '../../http/metrics.js';
import { Fault } from '../../kernel/fault.js';
import { productVersion } from '../../kernel/product.js';
import type { StatusSource } from '../../kernel/storage-status.js';
import { findHelp, helpPages } from './help.js';

export interface SiteRoutesDeps {
  readonly storage: StatusSource;
  readonly metrics: RequestMetrics;
  readonly rootPath: string;
}

const hidden = { schema: { hide: true } } as const;
const html = 'text/html; charset=utf-8';

/** What stands outside the root path: pages for people, figures for machines. */
export async function siteRoutes(app: FastifyInstance, { storage, metrics, rootPath }: SiteRoutesDeps): Promise<void> {
  app.get('/', hidden, async (_request, reply) => reply.type(html).send(landingPage(rootPath)));

  for (const page of helpPages) {
    app.get(`/${page}.html`, hidden, async (_request, reply) => reply.type(html).send(await findHelp(page, 'en')));
  }

  app.get('/healthz', hidden, async () => ({ status: 'ok' }));

  app.get('/readyz', hidden, async () => {
    const { state } = await storage.status();
    if (state !== 'CONNECTED') throw new Fault('unavailable', 'service.not-ready', `The storage is ${state}.`);
    return { status: 'ready' };
  });

  app.get('/metrics', hidden, async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}

function landingPage(rootPath: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Logbook</title>
<link rel="icon" href="data:,">
<style>body{font:16px/1.5 system-ui,sans-serif;margin:3rem auto;max-width:40rem;padding:0 1rem}</style>
</head>
<body>
<h1>Logbook</h1>
<p>Version ${productVersion}. The service is running.</p>
<ul>
<li><a href="${rootPath}">What the service is</a></li>
<li><a href="${rootPath}/logs">The newest entries</a> and <a href="${rootPath}/logs/rss">as a feed</a></li>
<li><a href="/swagger-ui/index.html">The API, to read and to try</a> (<a href="/openapi.json">as OpenAPI</a>)</li>
<li><a href="/SearchHelp.html">How to search</a></li>
<li><a href="/CommonmarkCheatsheet.html">How to write an entry</a></li>
</ul>
</body>
</html>
`;
}
