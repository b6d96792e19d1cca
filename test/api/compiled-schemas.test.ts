import { rm } from 'node:fs/promises';
import type { BuildCompilerFromPool } from '@fastify/ajv-compiler';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryRoutes } from '../../src/api/entries/entry.routes.js';
import { entryFormRoutes } from '../../src/api/entries/entry-form.routes.js';
import { LogbookAccess } from '../../src/auth/logbook-access.js';
import { Permissions } from '../../src/auth/permissions.js';
import { defaultCatalog, seedCatalog } from '../../src/catalog/seed-catalog.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { openSqliteStorage } from '../../src/engines/sqlite/sqlite-storage.js';
import { DeviceNames } from '../../src/entries/device-names.js';
import { TextRenderer } from '../../src/entries/text-renderer.js';
import { ErrorSchema } from '../../src/http/common.schema.js';
import { sendError } from '../../src/http/reply/error-reply.js';
import { provideContext } from '../../src/http/request/request-context.js';
import { SchemaValidators } from '../../src/http/request/schema-validator.js';
import { systemClock } from '../../src/kernel/clock.js';
import { PluginHost } from '../../src/plugins/plugin-host.js';
import { silentIntegrity, silentJobs, silentLog } from '../fixtures/log.js';
import { call, entryForm, makeTempDir } from '../fixtures/service.js';

let compilations = 0;
/** The validator factory of the service, which counts what it compiles. */
const countingFactory: BuildCompilerFromPool = (schemas, options) => {
  const compile = new SchemaValidators().buildValidator(schemas, options);
  return (schema, meta) => {
    compilations += 1;
    return compile(schema, meta);
  };
};

let app: FastifyInstance;
let origin: string;
const cleanup: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const dir = await makeTempDir();
  const { storage } = await openSqliteStorage({
    dataDir: dir,
    log: silentLog,
    jobs: silentJobs(),
    integrity: silentIntegrity(),
    searchThreads: 0,
  });
  await seedCatalog(storage, async () => defaultCatalog);
  const texts = new TextRenderer();
  const deps = {
    storage,
    blobs: await openFileBlobStore({ dir: dir }),
    texts,
    clock: systemClock,
    permissions: new Permissions('signed-in', new LogbookAccess([])),
    extensions: new PluginHost([], silentLog, 0),
    deviceNames: new DeviceNames([]),
    multipart: { maxFileBytes: 1_000, maxRequestBytes: 10_000, maxFieldBytes: 1_000, idleMs: 10_000 },
  };
  app = Fastify({
    schemaController: {
      compilersFactory: { buildValidator: countingFactory, buildSerializer: () => () => JSON.stringify },
    },
  });
  cleanup.push(
    () => app.close(),
    () => texts.close(),
    () => storage.close(),
    () => rm(dir, { recursive: true }),
  );
  app.addSchema(ErrorSchema);
  provideContext(app);
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.addHook('onRequest', async (request) => {
    request.context.principal = { scheme: 'inMemory', userName: 'user', roles: ['LOG'], groups: [] };
  });
  await entryRoutes(app, deps);
  await entryFormRoutes(app, deps);
  origin = await app.listen({ host: '127.0.0.1', port: 0 });
});

afterAll(async () => {
  for (const close of cleanup) await close();
});

test('a request compiles no schema: the validator of entries in forms is compiled at start', async () => {
  const compiledAtStart = compilations;
  const entry = { title: 'An entry', logbooks: [{ name: 'operations' }] };
  for (let nth = 1; nth <= 5; nth++) {
    const created = await call(`${origin}/logs/multipart`, { method: 'PUT', body: entryForm(entry, []) });
    expect(created.status).toBe(200);
    const edit = entryForm({ ...entry, id: created.body.id }, []);
    expect((await call(`${origin}/logs/multipart`, { method: 'POST', body: edit })).status).toBe(200);
    const wrong = await call(`${origin}/logs/multipart`, { method: 'PUT', body: entryForm({ title: 7 }, []) });
    expect([wrong.status, wrong.body]).toEqual([400, expect.objectContaining({ code: 'request.invalid' })]);
  }
  expect(compilations).toBe(compiledAtStart);
});
