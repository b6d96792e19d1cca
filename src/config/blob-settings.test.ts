import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from './load-config.js';

const s3 = {
  blobs: 's3',
  s3Endpoints: 'https://a.example.org:9000, https://b.example.org',
  s3Bucket: 'files',
  s3AccessKey: 'logbook',
  s3SecretKey: 'the-secret',
};

describe('the settings of object storage', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'logbook-test-'));
  });
  afterAll(() => rmSync(dir, { recursive: true }));
  const load = (properties: Record<string, string>) => loadConfig({ flags: {}, properties, configFile: undefined }, {});

  test('name every endpoint, and a prefix that ends in a slash; the secret is printed nowhere', () => {
    const { options, lines } = load({ ...s3, s3Prefix: 'site/logbook' });
    expect(options.storage).toMatchObject({
      kind: 'embedded',
      migrationCopy: true,
      blobs: {
        kind: 's3',
        s3: {
          endpoints: ['https://a.example.org:9000', 'https://b.example.org'],
          ...{ region: 'us-east-1', bucket: 'files', prefix: 'site/logbook/', pathStyle: true },
          ...{ accessKey: 'logbook', secretKey: 'the-secret', requestTimeoutMs: 30_000 },
        },
      },
    });
    expect(lines.join()).not.toContain('the-secret');
  });

  test('take the secret from a file', () => {
    const file = join(dir, 'secret');
    writeFileSync(file, 'of the file\n');
    const { options, lines } = load({ ...s3, s3SecretKey: '', s3SecretKeyFile: file });
    expect(options.storage).toMatchObject({ blobs: { s3: { secretKey: 'of the file' } } });
    expect(lines.join()).not.toContain('of the file');
  });

  test.each<[problem: string, properties: Record<string, string>]>([
    ['blobs', { blobs: 'disk' }],
    ['blobs=s3 needs s3Bucket', { ...s3, s3Bucket: '' }],
    ['blobs=s3 needs s3AccessKey', { ...s3, s3AccessKey: '' }],
    ['object storage needs s3SecretKey', { ...s3, s3SecretKey: '' }],
    ['blobs=s3 needs s3Endpoints', { ...s3, s3Endpoints: '' }],
    ['each must be a URL without a path', { ...s3, s3Endpoints: 's3.example.org' }],
    ['each must be a URL without a path', { ...s3, s3Endpoints: 'https://key:secret@s3.example.org' }],
    ['separated by slashes', { ...s3, s3Prefix: '../other' }],
    ['s3Bucket has no effect with blobs=files', { s3Bucket: 'files' }],
    ['s3Prefix has no effect with blobs=files', { s3Prefix: 'logbook/' }],
  ])('are refused: %s', (problem, properties) => {
    expect(() => load(properties)).toThrow(problem);
  });
});
