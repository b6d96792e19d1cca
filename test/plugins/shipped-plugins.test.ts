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
    answer: (response: ServerResponse) => void,
    lines: readonly string[],
    check: (server: SiteServer, start: () => ReturnType<Site['start']>) => Promise<void>,
  ): Promise<void> {
    const server = await SiteServer.start((_asked, response) => answer(response));
    const url = `plugin.shift-properties.url = ${server.url}`;
    try {
      await check(server, () => site.start(plugin, url, ...lines));
    } finally {
      await server.stop();
    }
  }

  test('gives entries the shift, and asks for it once in a while', async () => {
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

  test('asks again after that', async () => {
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
    ['answers with an error', (response) => response.writeHead(503).end('down'), 'the shift service answers with 503'],
    ['answers with no object', (response) => response.end('[]'), 'something else than a JSON object'],
    ['answers with too much', (response) => response.end(`"${'x'.repeat(100_000)}"`), 'more than 65536 bytes'],
    ['does not answer', () => undefined, 'timeout'],
  ])('a shift service that %s costs the entry its shift alone', async (_what, answer, problem) => {
    await withShift(answer, [], async (server, start) => {
      const logbook = await start();
      expect((await logbook.create()).properties).toEqual([]);
      expect((await logbook.create()).properties).toEqual([]);
      expect(server.received).toHaveLength(1);
      expect(site.warnings('shift-properties')[0]?.err?.message).toContain(problem);
    });
  });

  test('without an address it does not start', async () => {
    await expect(site.start(plugin)).rejects.toThrow('plugin.shift-properties.url must be an address such as');
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
    const [asked] = await server.asked(1);
    expect(asked).toMatchObject({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json', authorization: 'Bearer secret' },
    });
    expect(JSON.parse(asked?.body ?? '')).toEqual(entry);
    await server.stop();
  });

  test('a webhook that fails or leads elsewhere is in the log', async () => {
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
    expect(messages).toContain('the webhook answers with 500');
    await server.stop();
  });

  test('without an address it does not start', async () => {
    await expect(site.start(plugin)).rejects.toThrow('plugin.webhook-notifier.url must be an address such as');
  });
});
