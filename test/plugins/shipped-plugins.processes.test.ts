import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { Site, SiteServer } from './site.js';

let site: Site;
beforeEach(async () => {
  site = await Site.make({});
});
afterEach(() => site.remove());

const file = (name: string) => join(productDir, 'plugins', name);

describe('shift-properties', () => {
  const plugin = `plugins = ${file('shift-properties.js')}`;

  async function withShift(
    respond: (response: ServerResponse) => void,
    lines: readonly string[],
    check: (server: SiteServer, start: () => ReturnType<Site['start']>) => Promise<void>,
  ): Promise<void> {
    const server = await SiteServer.start((_request, response) => respond(response));
    const url = `plugin.shift-properties.url = ${server.url}`;
    try {
      await check(server, () => site.start(plugin, url, ...lines));
    } finally {
      await server.stop();
    }
  }

  test('adds the shift to entries, and caches it', async () => {
    const shift = { id: '2030-01-01-night', crew: 3, open: true, notes: null, people: ['a'] };
    const lines = ['plugin.shift-properties.cacheSeconds = 60', 'plugin.shift-properties.property = Night'];
    await withShift(
      (response) => response.end(JSON.stringify(shift)),
      lines,
      async (server, start) => {
        const logbook = await start();
        const entries = await Promise.all([logbook.create(), logbook.create()]);
        for (const entry of [...entries, await logbook.create()]) {
          expect(entry.properties).toMatchObject([
            {
              name: 'Night',
              attributes: [
                { name: 'id', value: '2030-01-01-night' },
                { name: 'crew', value: '3' },
                { name: 'open', value: 'true' },
              ],
            },
          ]);
        }
        expect(server.received).toHaveLength(1);
      },
    );
  });

  test('fetches the shift again when the cache has expired', async () => {
    let count = 0;
    await withShift(
      (response) => response.end(JSON.stringify({ count: ++count })),
      ['plugin.shift-properties.cacheSeconds = 0'],
      async (_server, start) => {
        const logbook = await start();
        expect((await logbook.create()).properties[0]?.attributes[0]?.value).toBe('1');
        expect((await logbook.create()).properties[0]?.attributes[0]?.value).toBe('2');
      },
    );
  });

  test.each<[string, (response: ServerResponse) => void, string]>([
    ['responds with an error', (response) => response.writeHead(503).end('down'), 'responded with status 503'],
    ['responds with no object', (response) => response.end('[]'), 'is not a JSON object'],
    ['responds with too much', (response) => response.end(`"${'x'.repeat(100_000)}"`), 'larger than 65536 bytes'],
    ['does not respond', () => undefined, 'timeout'],
  ])('a shift service that %s costs the entry only its shift', async (_what, respond, problem) => {
    await withShift(respond, [], async (server, start) => {
      const logbook = await start();
      expect((await logbook.create()).properties).toEqual([]);
      expect((await logbook.create()).properties).toEqual([]);
      expect(server.received).toHaveLength(1);
      expect(site.warnings('shift-properties')[0]?.err?.message).toContain(problem);
    });
  });

  test('does not start without an address', async () => {
    await expect(site.start(plugin)).rejects.toThrow('plugin.shift-properties.url must be a web address such as');
  });
});

describe('webhook-notifier', () => {
  const plugin = `plugins = ${file('webhook-notifier.js')}`;

  test('posts each new entry, with the token', async () => {
    const server = await SiteServer.start();
    const logbook = await site.start(
      plugin,
      `plugin.webhook-notifier.url = ${server.url}hook`,
      'plugin.webhook-notifier.token = secret',
    );
    const entry = await logbook.create({ title: 'Beam lost ☢' });
    const [request] = await server.waitFor(1);
    expect(request).toMatchObject({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json', authorization: 'Bearer secret' },
    });
    expect(JSON.parse(request?.body ?? '')).toEqual(entry);
    await server.stop();
  });

  test('a webhook that fails or redirects is logged', async () => {
    const server = await SiteServer.start(({ body }, response) => {
      if (JSON.parse(body).title === 'moved') response.writeHead(307, { location: '/else' }).end();
      else response.writeHead(500).end();
    });
    const logbook = await site.start(plugin, `plugin.webhook-notifier.url = ${server.url}`);
    await logbook.create({ title: 'broken' });
    await logbook.create({ title: 'moved' });
    await logbook.stop({ keepData: true });
    expect(server.received).toHaveLength(2);
    const messages = site.warnings('webhook-notifier').map(({ err }) => err?.message);
    expect(messages).toHaveLength(2);
    expect(messages).toContain('the webhook responded with status 500');
    await server.stop();
  });

  test('does not start without an address', async () => {
    await expect(site.start(plugin)).rejects.toThrow('plugin.webhook-notifier.url must be a web address such as');
  });
});
