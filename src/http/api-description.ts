import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { type FastifyInstance, fastify, type RouteOptions } from 'fastify';
import { productDir, productVersion } from '../kernel/product.js';
import { signedIn } from './common.schema.js';
import { describeOperations, errorComponents } from './describe-operations.js';

/** Publishes the OpenAPI description at `/openapi.json` and a page to explore it at `/swagger-ui/index.html`. */
export async function publishDescription(app: FastifyInstance, rootPath: string): Promise<void> {
  const routes: RouteOptions[] = [];
  const scopes = new Set([app]);
  app.addHook('onRoute', function (route) {
    scopes.add(this);
    // HEAD routes are derived from the GET routes.
    if (route.method !== 'HEAD') routes.push(route);
  });
  let description: Promise<unknown> | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, () => {
    const schemas = () => Object.assign({}, ...[...scopes].map((scope) => scope.getSchemas()));
    description ??= describe(routes, Object.values(schemas()), rootPath);
    return description;
  });
  await app.register(swaggerPage);
}

/**
 * Describes the routes on demand, because few clients ask and the generator would slow down the start. The generator
 * only observes routes that are added after it, so they are added to a separate application.
 */
async function describe(routes: readonly RouteOptions[], schemas: readonly unknown[], rootPath: string) {
  const { default: swagger } = await import('@fastify/swagger');
  const described = fastify({ exposeHeadRoutes: false });
  // This server answers no requests.
  described.setValidatorCompiler(() => () => true);
  described.setSerializerCompiler(() => JSON.stringify);
  for (const schema of schemas) described.addSchema(schema);
  await described.register(swagger, {
    openapi: describeApi(rootPath),
    transformObject: (document) =>
      'openapiObject' in document
        ? describeOperations(restoreExamples(document.openapiObject))
        : document.swaggerObject,
    refResolver: { buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `Schema${index}`) },
  });
  for (const { method, url, schema, constraints } of routes) {
    described.route({
      method,
      url,
      ...(schema && { schema }),
      ...(constraints && { constraints }),
      handler: async () => undefined,
    });
  }
  await described.ready();
  return described.swagger();
}

const tags = [
  { name: 'Entries', description: 'Create, read, edit and group log entries.' },
  { name: 'Search', description: 'Find log entries.' },
  { name: 'Live', description: 'Live updates.' },
  { name: 'Attachments', description: 'Files of log entries.' },
  { name: 'Catalogue', description: 'Tags, logbooks, levels and properties.' },
  { name: 'Templates', description: 'Prepared entries.' },
  { name: 'Drafts', description: 'Content that a user has not submitted yet.' },
  { name: 'Me', description: 'The current user, with settings and saved searches.' },
  { name: 'Sign-in', description: 'Sessions, and tokens for programs.' },
  { name: 'Administration', description: 'For users with the role ADMIN.' },
  { name: 'Service', description: 'Information about the service and its state.' },
];

function describeApi(rootPath: string): NonNullable<FastifyDynamicSwaggerOptions['openapi']> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Logbook',
      version: productVersion,
      description:
        'An online logbook for large scientific facilities. Reading is open unless configured otherwise; writing requires HTTP Basic credentials, a session or a token.\n\n' +
        `Live updates are available as Server-Sent Events at \`${rootPath}/changes\`, and as STOMP 1.0–1.2 over a WebSocket at \`${rootPath}/web-socket\`, topic \`${rootPath}/web-socket/messages\`.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service.' }],
    // Reading is open unless the service is configured to require sign-in for it too.
    security: [{}, ...signedIn],
    tags,
    components: {
      responses: errorComponents,
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'User name and password with each request.' },
        session: { type: 'apiKey', in: 'cookie', name: 'SESSION', description: `Set by POST ${rootPath}/login.` },
        token: { type: 'http', scheme: 'bearer', description: `Created by POST ${rootPath}/tokens.` },
      },
    },
  };
}

/**
 * Restores examples. The generator turns an array “properties” in an example into an object, as if it were part of a
 * schema.
 */
function restoreExamples<T>(description: T): T {
  const restored = JSON.stringify(description, (key, value: unknown) =>
    key === 'properties' && typeof value === 'object' && value !== null && '0' in value ? Object.values(value) : value,
  );
  return JSON.parse(restored) as T;
}

/** Serves the page. It loads everything from this service, so that it works without internet access. */
async function swaggerPage(app: FastifyInstance): Promise<void> {
  const distribution = join(fileURLToPath(import.meta.resolve('@fastify/swagger-ui')), '..', 'static');
  const page = readFileSync(join(productDir, 'assets', 'swagger-ui', 'index.html'), 'utf8');
  const script = readFileSync(join(productDir, 'assets', 'swagger-ui', 'start.js'), 'utf8');
  const hidden = { schema: { hide: true } } as const;
  await app.register(fastifyStatic, {
    root: distribution,
    prefix: '/swagger-ui/static/',
    index: false,
    schemaHide: true,
  });
  app.get('/swagger-ui', hidden, async (_request, reply) => reply.redirect('/swagger-ui/index.html'));
  app.get('/swagger-ui/index.html', hidden, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(page),
  );
  app.get('/swagger-ui/start.js', hidden, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(script),
  );
}
