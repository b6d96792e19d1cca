import { afterEach, expect, test, vi } from 'vitest';
import { ChangeReader } from '../fixtures/change-reader.js';
import { Receiver } from '../fixtures/receiver.js';
import { StompClient } from '../fixtures/stomp-client.js';
import { startWithSubscribers, webhookTo } from '../fixtures/subscribed-logbook.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const marker = 'a title like no other';

/** Counts how often the service, not the test, turns the entry into JSON and back. */
function countConversions() {
  const counts = { stringified: 0, parsed: 0 };
  const isService = () => /\/src\//.test(new Error().stack?.split('\n').slice(3).join('\n') ?? '');
  const { stringify, parse } = JSON;
  vi.spyOn(JSON, 'stringify').mockImplementation((...args: Parameters<typeof stringify>) => {
    const text = stringify(...args);
    if (text?.includes(marker) && isService()) counts.stringified += 1;
    return text;
  });
  vi.spyOn(JSON, 'parse').mockImplementation((...args: Parameters<typeof parse>) => {
    if (args[0].includes(marker) && isService()) counts.parsed += 1;
    return parse(...args);
  });
  return counts;
}

test('an entry is encoded once: response, live clients and webhooks get the stored bytes', async () => {
  const target = await Receiver.start();
  const logbook = await startWithSubscribers({ hook: webhookTo(target.origin) });
  try {
    const stomp = await StompClient.subscribe(logbook.base, { topic: '/topic/entries' });
    const changes = await ChangeReader.open(logbook.base);
    const body = `{"title":"${marker}","logbooks":[{"name":"operations"}],"description":"**x** \u{1d4b3}"}`;
    const counts = countConversions();
    const created = await logbook.call('/logs', {
      method: 'PUT',
      body,
      headers: { 'content-type': 'application/json' },
    });
    const [message] = await stomp.bodies(1);
    await changes.next(1);
    const [delivery] = await target.waitFor(1);
    vi.restoreAllMocks();
    expect(created.status).toBe(200);
    expect(message).toBe(created.text);
    expect(delivery?.text).toContain(`"entry":${created.text}`);
    expect((await logbook.get(`/logs/${created.body.id}`)).text).toBe(created.text);
    // The request is parsed; nothing else is. Only the document and, for the digest, the title are encoded.
    expect(counts).toEqual({ stringified: 2, parsed: 1 });
    await stomp.close();
    await changes.close();
  } finally {
    await logbook.stop();
    await target.stop();
  }
});
