import { expect, test } from 'vitest';
import { RssRenderer } from './rss-renderer.js';

test('503 search.feed-timeout names the limit', async () => {
  const feeds = new RssRenderer(0);
  const long = Buffer.from(JSON.stringify([{ title: 'x'.repeat(200_000) }]));
  await expect(feeds.render(long, { site: 'http://x', base: 'http://x', self: 'http://x/rss' })).rejects.toMatchObject({
    kind: 'unavailable',
    code: 'search.feed-timeout',
    message: expect.stringContaining('The limit is 0 s for each feed, regardless of the client, and is fixed.'),
  });
  await feeds.close();
});
