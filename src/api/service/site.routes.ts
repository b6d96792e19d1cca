import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { entryPagePath } from '../../entries/page-address.js';
import type { RequestMetrics } from '../../http/metrics.js';
import { productDir, productVersion } from '../../kernel/product.js';
import { helpRoutes } from './help.routes.js';
import { findWebClient } from './web-client.js';
import { webClientRoutes } from './web-client.routes.js';

export interface SiteRoutesDeps {
  readonly metrics: RequestMetrics;
  readonly rootPath: string;
  /** The folder of the built browser client. */
  readonly webClientDir: string;
}

const hidden = { schema: { hide: true }, config: { cost: 'none' } } as const;
const html = 'text/html; charset=utf-8';

/** Routes outside the root path: pages for people and metrics. */
export async function siteRoutes(app: FastifyInstance, deps: SiteRoutesDeps): Promise<void> {
  const { metrics, rootPath, webClientDir } = deps;
  const client = await findWebClient(rootPath, webClientDir);
  if (client) await webClientRoutes(app, { client });
  else landingRoutes(app, rootPath);
  if (rootPath !== '') formerPages(app);
  await helpRoutes(app);
  const icon = await readFile(join(productDir, 'assets', 'favicon.ico'));
  app.get('/favicon.ico', hidden, async (_request, reply) =>
    reply.type('image/x-icon').header('cache-control', 'public, max-age=86400').send(icon),
  );
  app.get('/metrics', hidden, async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}

/**
 * Redirects the addresses of entries in the web client of Olog, which old texts and mails contain. `KnownPaths` ignores
 * a route with a wildcard, so all other paths and methods remain unknown addresses.
 */
function formerPages(app: FastifyInstance): void {
  app.get<{ Params: { '*': string } }>('/logs/*', hidden, async ({ params }, reply) => {
    const [, id] = /^(\d{1,15})(?:\/(?:reply|edit|history))?\/?$/.exec(params['*']) ?? [];
    return id === undefined ? reply.callNotFound() : reply.redirect(entryPagePath(id), 302);
  });
}

/** Routes of a service without the browser client: links to pages of entries lead to the entries' data. */
function landingRoutes(app: FastifyInstance, rootPath: string): void {
  app.get('/', hidden, async (_request, reply) => reply.type(html).send(landingPage(rootPath)));
  app.get<{ Params: { id: string } }>(entryPagePath(':id(^\\d{1,15}$)'), hidden, async ({ params }, reply) =>
    reply.redirect(`${rootPath}/logs/${params.id}`, 302),
  );
}

/** Returns the page of a service without the browser client. */
function landingPage(rootPath: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Logbook</title>
<link rel="icon" href="/favicon.ico">
<style>body{font:16px/1.5 system-ui,sans-serif;margin:3rem auto;max-width:40rem;padding:0 1rem}</style>
</head>
<body>
<h1>Logbook</h1>
<p>Version ${productVersion}. The service is running.</p>
<ul>
<li><a href="${rootPath}">About the service</a></li>
<li><a href="${rootPath}/logs">Newest entries</a>, also <a href="${rootPath}/logs/rss">as an RSS feed</a></li>
<li><a href="/swagger-ui/index.html">API documentation</a> (<a href="/openapi.json">OpenAPI description</a>)</li>
<li><a href="/SearchHelp.html">Search help</a></li>
<li><a href="/CommonmarkCheatsheet.html">Markup help</a></li>
</ul>
</body>
</html>
`;
}
