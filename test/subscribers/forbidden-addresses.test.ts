import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { postJson, type Resolve } from '../../src/integrations/webhook/post-json.js';
import { Receiver } from '../fixtures/receiver.js';

let target: Receiver;
beforeEach(async () => {
  target = await Receiver.start();
});
afterEach(async () => {
  await target.stop();
});

const go = new AbortController().signal;
const post = { body: '{}', headers: {} };
/** Resolves any name to the given addresses; the last ones repeat. */
const resolving =
  (...results: readonly (readonly string[])[]): Resolve =>
  async () =>
    (results.length > 1 ? (results as string[][]).shift() : results[0])?.map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    })) ?? [];
const attempt = (url: string, allowed: readonly string[] = [], resolve: Resolve = resolving([])) =>
  postJson({ url: new URL(url), timeoutMs: 300_000, allowPrivate: false, allowed }, post, go, resolve);

describe('a target on this machine is refused, in any notation', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '１２７.0.0.1',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '0',
    '0.0.0.0',
    '[::]',
  ])('%s', async (host) => {
    const outcome = await attempt(`http://${host}:${target.port}/`);
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/not a public address/) });
    expect(target.received).toEqual([]);
  });
});

describe('a name', () => {
  test.each([
    [['127.0.0.1']],
    [['10.1.2.3']],
    [['192.168.0.1']],
    [['169.254.169.254']],
    [['::1']],
    [['fe80::1']],
    [['::ffff:127.0.0.1']],
    [['203.0.112.1', '127.0.0.1']],
  ])('that resolves to %j is refused', async (addresses) => {
    const outcome = await attempt(`http://hook.example.org:${target.port}/`, [], resolving(addresses));
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/not a public address/) });
    expect(target.received).toEqual([]);
  });

  test('is resolved once, and the connection uses the checked address and the original host header', async () => {
    let lookups = 0;
    const resolve: Resolve = async () => {
      lookups++;
      return [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.9', family: 4 }];
    };
    const url = `http://hook.example.org:${target.port}/`;
    expect(await attempt(url, ['127.0.0.1'], resolve)).toEqual({ kind: 'delivered' });
    expect(lookups).toBe(1);
    expect(target.received[0]?.headers.host).toBe(`hook.example.org:${target.port}`);
    // Now the name resolves to another address.
    expect(await attempt(url, ['127.0.0.1'], resolve)).toMatchObject({ kind: 'failed' });
    expect(target.received).toHaveLength(1);
  });

  test('in a redirect is checked like the first one', async () => {
    target.answer = () => ({ status: 307, headers: { location: `http://other.example.org:${target.port}/` } });
    const outcome = await attempt(
      `http://hook.example.org:${target.port}/`,
      ['127.0.0.1'],
      resolving(['127.0.0.1'], ['127.0.0.2']),
    );
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^other\.example\.org: 127\.0\.0\.2/),
    });
    expect(target.received).toHaveLength(1);
  });

  test('without an address, or that cannot be resolved, fails with a retry', async () => {
    expect(await attempt('http://hook.example.org/')).toMatchObject({ kind: 'failed' });
    const resolve: Resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    expect(await attempt('http://hook.example.org/', [], resolve)).toEqual({
      kind: 'failed',
      reason: 'Connection failed: ENOTFOUND.',
    });
  });
});

test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'gopher://127.0.0.1/', 'http://', '//[/'])(
  'a redirect to %s is not followed',
  async (location) => {
    target.answer = () => ({ status: 301, headers: { location } });
    expect(await attempt(`${target.origin}/`, ['127.0.0.1'])).toMatchObject({ kind: 'failed' });
    expect(target.received).toHaveLength(1);
  },
);

test('credentials are sent to the configured origin only', async () => {
  const other = await Receiver.start();
  try {
    target.answer = () => ({ status: 307, headers: { location: `${other.origin}/` } });
    const url = target.origin.replace('://', '://us3r:pass@');
    expect(await attempt(url, ['127.0.0.1'])).toEqual({ kind: 'delivered' });
    expect(target.received[0]?.headers.authorization).toBeDefined();
    expect(other.received[0]?.headers.authorization).toBeUndefined();
  } finally {
    await other.stop();
  }
});
