import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from './load-config.js';

const opensearch = { index: 'opensearch', opensearchNodes: 'https://a.example.org:9200, https://b.example.org' };

describe('the settings of the search index', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'logbook-test-'));
  });
  afterAll(() => rmSync(dir, { recursive: true }));
  const load = (properties: Record<string, string>) => loadConfig({ flags: {}, properties, configFile: undefined }, {});

  test('name every node; the password comes from a file or a text, and is printed nowhere', () => {
    const file = join(dir, 'password');
    writeFileSync(file, 'the-password\n');
    for (const password of [{ opensearchPasswordFile: file }, { opensearchPassword: 'the-password' }]) {
      const { options, lines } = load({ ...opensearch, opensearchUser: 'ada', ...password });
      expect(options.storage.index).toEqual({
        kind: 'opensearch',
        opensearch: {
          nodes: ['https://a.example.org:9200', 'https://b.example.org'],
          indexName: 'logbook',
          credentials: { user: 'ada', password: 'the-password' },
          caCertificates: undefined,
          replicas: 1,
          requestTimeoutMs: 30_000,
          maxConnections: 50,
        },
      });
      expect(lines.join()).not.toContain('the-password');
    }
  });

  test('have no credentials unless a user is set', () => {
    expect(load(opensearch).options.storage.index).toMatchObject({ opensearch: { credentials: undefined } });
    expect(load({}).options.storage.index).toEqual({ kind: 'embedded' });
  });

  test.each([
    [{ index: 'elsewhere' }, 'it must be embedded or opensearch'],
    [{ index: 'opensearch' }, 'index=opensearch needs opensearchNodes'],
    [{ replicaSnapshotInterval: '1h' }, 'no effect unless storage=postgres and index=embedded'],
    [{ opensearchNodes: 'https://a.example.org' }, 'opensearchNodes has no effect with index=embedded'],
    [{ opensearchIndex: 'logbook' }, 'opensearchIndex has no effect with index=embedded'],
    [{ ...opensearch, opensearchNodes: 'a.example.org' }, 'each must be a URL without a path'],
    [{ ...opensearch, opensearchIndex: 'Log*' }, 'lower-case letters'],
    [{ ...opensearch, opensearchUser: 'ada' }, 'opensearchUser and opensearchPassword belong together'],
    [{ ...opensearch, opensearchPassword: 'x' }, 'opensearchUser and opensearchPassword belong together'],
    [
      { ...opensearch, opensearchNodes: 'http://a.example.org', opensearchUser: 'ada', opensearchPassword: 'x' },
      'to which the password would be sent unencrypted',
    ],
  ])('%j: refused', (properties, message) => {
    expect(() => load(properties)).toThrow(message);
  });
});
