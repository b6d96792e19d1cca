import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawRequest, sendRaw } from '../fixtures/raw-http.js';
import { call, TestService } from '../fixtures/service.js';

describe('the service itself', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start({ corsOrigins: 'http://localhost:3000,https://log.example.org' });
  });
  afterAll(async () => {
    await logbook.stop();
  });

  const page = (path: string) => call(`${logbook.origin}${path}`, { as: null });

  test.each(['', '/'])('the welcome information is served at the root path%s', async (slash) => {
    // A check that takes longer than its limit counts as failed.
    await expect
      .poll(async () => (await logbook.get(slash)).body)
      .toEqual({
        name: 'Logbook Service',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        searchIndex: {
          status: 'Connected',
          clusterName: expect.any(String),
          clusterUuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          version: expect.any(String),
          searchIndexHost: expect.any(String),
          searchIndexPort: expect.any(String),
          backend: 'type=EMBEDDED, servers=[{address=localhost, state=CONNECTED}]',
        },
        documentStore: 'type=EMBEDDED, servers=[{address=localhost, state=CONNECTED}]',
        attachmentStore: 'type=FILES, servers=[{address=localhost, state=CONNECTED}]',
        serverConfig: { maxFileSize: 15, maxRequestSize: 50 },
      });
  });

  test('the configuration lists levels, the default one first, active logbooks and tags', async () => {
    expect((await logbook.get('/configuration')).body).toEqual({
      levels: ['Info', 'Problem', 'Request', 'Suggestion', 'Urgent'],
      logbooks: (await logbook.get('/logbooks')).body,
      tags: (await logbook.get('/tags')).body,
    });
  });

  test.each(['/tags', '/levels/Info', '/logs', '/logs/search', '/configuration', '/templates', '/help/SearchHelp'])(
    'a slash behind %s changes nothing',
    async (path) => {
      expect((await logbook.get(`${path}/`)).text).toBe((await logbook.get(path)).text);
    },
  );

  test.each(['/logbook/tags', '/logbook/logs/7', '/logbook/tokens', '/nothing', '/metrics'])(
    'the response to %s restricts what pages may do with it',
    async (path) => {
      const { headers } = await page(path);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': expect.stringContaining("frame-ancestors 'self'"),
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'cross-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
      });
    },
  );

  test.each([
    '/logbook/nothing',
    '/nothing',
    '/logbook/logs/1/2/3',
    '/LOGBOOK',
    '/logbook/logs/1/nothing',
    '/.env',
    '/logbook/../etc/passwd',
  ])('404 in contract form for %s', async (path) => {
    const answer = await call(`${logbook.origin}${path}`);
    expect(answer).toMatchObject({
      status: 404,
      body: { status: 404, error: 'Not Found', code: 'request.unknown-address' },
    });
    expect(Object.keys(answer.body).sort()).toEqual(['code', 'error', 'message', 'path', 'status', 'timestamp']);
  });

  test.each(['PATCH', 'DELETE', 'TRACE', 'PROPFIND'])('405 for the method %s', async (method) => {
    if (method === 'TRACE') return;
    expect((await logbook.call('/logs', { method })).status).toBe(405);
  });

  describe('pages', () => {
    test.each([
      ['/', 'text/html'],
      ['/SearchHelp.html', 'text/html'],
      ['/CommonmarkCheatsheet.html', 'text/html'],
      ['/swagger-ui/index.html', 'text/html'],
      ['/swagger-ui/start.js', 'text/javascript'],
      ['/swagger-ui/static/swagger-ui-bundle.js', 'application/javascript'],
      ['/swagger-ui/static/swagger-ui.css', 'text/css'],
      ['/openapi.json', 'application/json'],
      ['/healthz', 'application/json'],
      ['/readyz', 'application/json'],
      ['/metrics', 'text/plain'],
    ])('200 %s is %s', async (path, type) => {
      const answer = await page(path);
      expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([200, type]);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    });

    test('/swagger-ui leads to its page, which loads nothing from the internet', async () => {
      const redirect = await page('/swagger-ui');
      expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/swagger-ui/index.html']);
      expect((await page('/swagger-ui/index.html')).text).not.toMatch(/https?:\/\//);
    });

    test('the metrics count requests by route, not by address', async () => {
      await logbook.get('/logs/12345');
      const { text } = await page('/metrics');
      expect(text).toMatch(
        /logbook_http_request_duration_seconds_count\{method="GET",route="\/logbook\/logs\/:logId",status="404"\} \d+/,
      );
      expect(text).not.toContain('/logs/12345');
    });

    test('the metrics say of each background job when it last succeeded, how long it took, and whether it fails', async () => {
      const metrics = async () => (await page('/metrics')).text;
      const value = (text: string, name: string, job: string) =>
        new RegExp(`^logbook_job_${name}\\{job="${job}"\\} (\\S+)$`, 'm').exec(text)?.[1];
      const startedMs = Date.now() - 600_000;
      await expect
        .poll(async () => value(await metrics(), 'last_success_timestamp_seconds', 'file-quarantine'))
        .toBeDefined();
      const text = await metrics();
      const successMs = Number(value(text, 'last_success_timestamp_seconds', 'file-quarantine')) * 1_000;
      expect(successMs).toBeGreaterThan(startedMs);
      expect(successMs).toBeLessThanOrEqual(Date.now());
      expect(Number(value(text, 'last_duration_seconds', 'file-quarantine'))).toBeGreaterThanOrEqual(0);
      const jobs = [...text.matchAll(/^logbook_job_failing\{job="([\w-]+)"\} 0$/gm)].map(([, job]) => job);
      expect(jobs).toEqual(expect.arrayContaining(['file-quarantine', 'attachment-text-extraction', 'tls-reload']));
      expect(new Set(jobs).size).toBe(jobs.length);
    });
  });

  describe('pages of other origins', () => {
    const preflight = (origin: string) =>
      call(`${logbook.base}/logs`, {
        method: 'OPTIONS',
        as: null,
        headers: {
          origin,
          'access-control-request-method': 'PUT',
          'access-control-request-headers': 'content-type,x-logbook-client-info,x-olog-client-info,authorization',
        },
      });

    test.each(['http://localhost:3000', 'https://log.example.org'])(
      '%s may use the API with credentials',
      async (origin) => {
        const { status, headers } = await preflight(origin);
        expect(status).toBe(204);
        expect(headers.get('access-control-allow-origin')).toBe(origin);
        expect(headers.get('access-control-allow-credentials')).toBe('true');
        expect(headers.get('access-control-allow-methods')).toMatch(/GET.*PUT.*POST.*DELETE/);
        expect(headers.get('access-control-allow-headers')?.toLowerCase()).toMatch(
          /x-logbook-client-info.*x-olog-client-info/,
        );
      },
    );

    test('of responses, pages of the origins that may call the API can read the headers that clients need', async () => {
      const headersFor = async (origin: string) => (await logbook.get('/tags', { headers: { origin } })).headers;
      const allowed = await headersFor('https://log.example.org');
      expect(allowed.get('access-control-allow-origin')).toBe('https://log.example.org');
      expect(allowed.get('access-control-allow-credentials')).toBe('true');
      expect(allowed.get('access-control-expose-headers')).toMatch(/ETag.*Retry-After.*Logbook-Position/);
      const other = await headersFor('https://evil.example');
      expect(other.get('access-control-allow-origin')).toBeNull();
      for (const headers of [allowed, other]) expect(headers.get('vary')).toContain('Origin');
    });

    test('an OPTIONS that is not a preflight gets an empty body or an error body', async () => {
      const answer = await call(`${logbook.base}/logs`, { method: 'OPTIONS', as: null });
      expect(answer.text === '' || answer.body.status === answer.status).toBe(true);
    });

    test.each(['http://localhost:3001', 'https://evil.example', 'null', 'http://localhost:3000.evil.example'])(
      '%s may not',
      async (origin) => {
        expect((await preflight(origin)).headers.get('access-control-allow-origin')).not.toBe(origin);
      },
    );
  });

  describe('the API description', () => {
    const operationsOf = async () => {
      const { body } = await page('/openapi.json');
      return Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
      );
    };
    interface Operation {
      readonly operationId?: string;
      readonly summary?: string;
      readonly description?: string;
      readonly security?: object[];
      readonly responses: Record<string, { description?: string; $ref?: string }>;
      readonly parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: object }[];
    }

    test('has every endpoint of the interface', async () => {
      const described = (await operationsOf()).map(
        ({ path, method }) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`,
      );
      const list = (path: string) => [`GET /logbook/${path}`, `PUT /logbook/${path}`];
      const item = (path: string) => [
        `GET /logbook/${path}/{}`,
        `PUT /logbook/${path}/{}`,
        `DELETE /logbook/${path}/{}`,
      ];
      for (const endpoint of [
        'GET /logbook',
        'GET /logbook/configuration',
        'GET /logbook/help/{}',
        'PUT /logbook/logs',
        'PUT /logbook/logs/multipart',
        'POST /logbook/logs/multipart',
        'POST /logbook/logs/{}',
        'GET /logbook/logs/{}',
        'GET /logbook/logs/archived/{}',
        'GET /logbook/logs',
        'GET /logbook/logs/search',
        'GET /logbook/logs/rss',
        'POST /logbook/logs/attachments/{}',
        'GET /logbook/logs/attachments/{}/{}',
        'GET /logbook/attachment/{}',
        'POST /logbook/logs/group',
        ...['tags', 'logbooks', 'levels', 'properties'].flatMap((kind) => [...list(kind), ...item(kind)]),
        'PUT /logbook/level/{}',
        ...list('templates'),
        'GET /logbook/templates/{}',
        'DELETE /logbook/templates/{}',
        'POST /logbook/login',
        'GET /logbook/user',
        'GET /logbook/logout',
        'POST /logbook/logout',
      ]) {
        expect(described.map((one) => one.replace(/\/$/, ''))).toContain(endpoint);
      }
    });

    test('names the path parameters as the specification does, and fills in no parameter', async () => {
      const names = new Set<string>();
      for (const { path, method, operation } of await operationsOf()) {
        for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) names.add(name);
        for (const parameter of operation.parameters ?? []) {
          const where = `${method} ${path} ${parameter.name}`;
          expect(parameter, where).not.toHaveProperty('example');
          expect(parameter, where).not.toHaveProperty('examples');
          for (const prefilled of ['example', 'examples', 'default'])
            expect(parameter.schema, where).not.toHaveProperty(prefilled);
        }
      }
      expect([...names]).toEqual(
        expect.arrayContaining([
          ...['logId', 'attachmentName', 'attachmentId', 'what', 'logTemplateId'],
          ...['tagName', 'logbookName', 'levelName', 'propertyName'],
        ]),
      );
    });

    test('declares what reading can lead to: 304, 206, 416 and 400', async () => {
      const statuses = Object.fromEntries(
        (await operationsOf()).map(({ path, method, operation }) => [
          `${method} ${path}`,
          Object.keys(operation.responses),
        ]),
      );
      for (const path of ['/logbook/attachment/{attachmentId}', '/logbook/logs/attachments/{logId}/{attachmentName}'])
        expect(statuses[`get ${path}`]).toEqual(expect.arrayContaining(['200', '206', '304', '400', '404', '416']));
      expect(statuses['get /logbook/logs/{logId}']).toEqual(expect.arrayContaining(['200', '304', '400', '404']));
      expect(statuses['post /logbook/logs/{logId}']).toContain('412');
    });

    test('requires no value that has a default, and has 422 exactly where a key for repeats is accepted', async () => {
      const { body } = await page('/openapi.json');
      const inputs = Object.entries(body.components.schemas as Record<string, InputSchema>);
      for (const [name, { properties = {}, required = [] }] of inputs)
        for (const one of required) expect(properties[one], `${name} ${one}`).not.toHaveProperty('default');
      const operations = await operationsOf();
      const parametersOf = ({ parameters = [] }: Operation) => parameters.map(({ name }) => name.toLowerCase());
      const keyed = operations.filter(({ operation }) => parametersOf(operation).includes('idempotency-key'));
      const refusing = operations.filter(({ operation }) => '422' in operation.responses);
      const idsOf = (list: typeof operations) => list.map(({ operation }) => operation.operationId);
      expect(idsOf(refusing)).toEqual(idsOf(keyed));
      const required = operations.flatMap(({ operation }) =>
        (operation.parameters ?? []).flatMap((one) => (one.in === 'query' && one.required ? [one.name] : [])),
      );
      expect(required).toEqual(['key']);
    });

    interface InputSchema {
      readonly properties?: Record<string, object>;
      readonly required?: readonly string[];
    }

    test('describes each operation, parameter and response, and which operations need sign-in', async () => {
      const { body } = await page('/openapi.json');
      for (const { path, method, operation } of await operationsOf()) {
        const where = `${method} ${path}`;
        expect(operation, where).toMatchObject({
          operationId: expect.any(String),
          summary: expect.any(String),
          description: expect.any(String),
        });
        for (const parameter of operation.parameters ?? [])
          expect(parameter.description, `${where} ${parameter.name}`).toBeTruthy();
        for (const [status, response] of Object.entries(operation.responses)) {
          const { description } = response.$ref ? body.components.responses[basename(response.$ref)] : response;
          expect(description, `${where} ${status}`).not.toMatch(/^(Default Response)?$/);
        }
        const own = /\/(sessions|tokens|audit|subscribers|dead-letters|access-rules)$|\/drafts|\/me\//.test(path);
        const open =
          (method === 'get' && !own) ||
          /\/(login|login\/oidc\/device(\/token)?|logout|unsubscribe\/\{token\})$/.test(path);
        const kinds = path.endsWith('/tokens/self') ? ['token'] : ['basic', 'session', 'token'];
        expect(operation.security ?? [], where).toEqual(open ? [] : kinds.map((kind) => ({ [kind]: [] })));
      }
    });
  });

  test('an entry in the feed: absolute links, author, categories, guid, date, and nothing that breaks XML', async () => {
    const entry = await logbook.create({
      title: 'Feed & <title> \u0007',
      description: ']]> \u0001 x ]]> <b>&nothing;</b>',
      tags: [{ name: 'alarm' }],
    });
    const { base } = logbook;
    const answer = await call(`${base}/logs/rss?text=x`);
    expect(answer.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8');
    const link = `${base}/logs/${entry.id}`;
    for (const part of [
      '<rss version="2.0"',
      `<link>${new URL(base).origin}/entries/${entry.id}</link>`,
      `${link}</guid>`,
      '<category>alarm</category>',
      '<category>operations</category>',
      '<category>Info</category>',
      `<pubDate>${new Date(entry.createdDate).toUTCString()}</pubDate>`,
      'user',
    ]) {
      expect(answer.text).toContain(part);
    }
    expect(answer.text).not.toMatch(/[\u0001\u0007]/);
    const outside = answer.text.replace(/<!\[CDATA\[.*?\]\]>/gs, '');
    expect(outside).not.toMatch(/<b>|&nothing;|\]\]>/);
  });

  test('400 request.bad-host: an invalid Host makes no links', async () => {
    const answer = await sendRaw(logbook.origin, [rawRequest('GET', '/logbook/logs/rss', { host: 'ev"<il>&' })]);
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, 'request.bad-host']);
  });

  test('by default the feed has the last seven days and at most a hundred entries', async () => {
    for (let index = 0; index < 110; index++) await logbook.create({ title: `many ${index}` });
    const items = async (query: string) => (await logbook.get(`/logs/rss${query}`)).text.split('<item>').length - 1;
    expect(await items('')).toBe(100);
    expect(await items('?size=1000')).toBe(100);
    expect(await items('?size=5')).toBe(5);
    expect(await items('?start=2020-01-01&end=2020-01-02')).toBe(0);
    expect(await logbook.get('/logs/rss?start=nonsense')).toMatchObject({
      status: 400,
      body: { code: 'search.bad-time' },
    });
  });
});

test('another root path moves only the API', async () => {
  const logbook = await TestService.start({ rootPath: '/Olog' });
  try {
    expect((await call(`${logbook.origin}/Olog`)).body.name).toBe('Logbook Service');
    expect((await call(`${logbook.origin}/Olog/logs`)).body).toEqual([]);
    expect((await call(`${logbook.origin}/logbook`)).status).toBe(404);
    expect((await call(`${logbook.origin}/SearchHelp.html`)).status).toBe(200);
  } finally {
    await logbook.stop();
  }
});
