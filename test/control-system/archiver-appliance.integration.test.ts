import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ArchiverAppliance } from '../../packages/control-system/archiver-appliance.js';
import { historySuite } from '../contract/history.suite.js';
import { ArchiverServer } from '../fixtures/archiver-server.js';

const options = { caCertificates: undefined, timeoutMs: 1_000 };
const { signal } = new AbortController();

describe('Archiver Appliance', () => {
  historySuite(async () => {
    const server = await ArchiverServer.start();
    const source = new ArchiverAppliance({ ...options, url: `${server.url}/` });
    return {
      source,
      add: (name, units, ...samples) =>
        server.add(name, { EGU: units }, ...samples.map(({ atMs, value }) => ({ atMs, val: String(value) }))),
      async destroy() {
        source.close();
        await server.stop();
      },
    };
  });
});

describe('what the archiver sends', () => {
  let server: ArchiverServer;
  let source: ArchiverAppliance;
  beforeEach(async () => {
    server = await ArchiverServer.start();
    source = new ArchiverAppliance({ ...options, url: server.url });
  });
  afterEach(async () => {
    source.close();
    await server.stop();
  });
  const atMs = 1_764_104_400_000;

  test.each([
    ['NaN', { value: Number.NaN }],
    ['-Infinity', { value: Number.NEGATIVE_INFINITY }],
    ['"a NaN: \\" Infinity"', { value: 'a NaN: " Infinity' }],
    ['[1,NaN]', { value: [1, Number.NaN] }],
    ['{"a":1}', { missing: 'the archiver sent a value of an unknown kind' }],
    ['null', { missing: 'the archiver sent a value of an unknown kind' }],
  ])('the value %s', async (val, expected) => {
    server.add('one', { EGU: ' mA', PREC: '2' }, { atMs, val, severity: 2 });
    const units = 'value' in expected ? { units: 'mA', precision: 2, severity: 'MAJOR' } : {};
    expect((await source.readAt(['one'], atMs, signal)).get('one')).toMatchObject({ ...expected, ...units });
  });

  test('a time in no century of machines is not believed', async () => {
    server.add('one', {}, { atMs: 0, val: '1' });
    expect((await source.readAt(['one'], atMs, signal)).get('one')).toEqual({
      missing: 'its time in the archiver is wrong',
    });
  });

  test('a value of megabytes does not prevent that the others are read', async () => {
    server.add('small', {}, { atMs, val: '1' });
    server.add('large', {}, { atMs, val: JSON.stringify(Array(300_000).fill(0.25)) });
    const readings = await source.readAt(['small', 'large', 'unknown'], atMs, signal);
    expect(readings.get('small')).toMatchObject({ value: 1 });
    expect(readings.get('large')).toEqual({ missing: 'its value is too large' });
    expect(readings.get('unknown')).toEqual({ missing: 'the archiver has no value of it' });
  });

  test.each<[string, ArchiverServer['answer'], string]>([
    ['an answer that is cut off', (response) => response.end('{"one":{"secs":17641'), 'a complete answer'],
    ['a page', (response) => response.end('<html>'), 'a complete answer'],
    ['a list', (response) => response.end('[]'), 'a complete answer'],
    ['an error', (response) => response.writeHead(500).end('x'), 'status 500'],
    ['nothing', () => undefined, 'no answer within 1 s'],
    ['the end of the connection', (response) => response.destroy(), 'the connection failed'],
  ])('%s is a failure of the source', async (_, answer, reason) => {
    server.answer = answer;
    const failed = expect.objectContaining({ name: 'SourceUnavailable', message: expect.stringContaining(reason) });
    await expect(source.readAt(['one'], atMs, signal)).rejects.toEqual(failed);
    expect(source.state.failure).toContain(reason);
    // It is left alone for a moment.
    await expect(source.readAt(['one'], atMs, signal)).rejects.toEqual(failed);
  });
});
