import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { openFileThumbnailStore } from '../../src/engines/files/file-thumbnail-store.js';
import { silentLog } from '../fixtures/log.js';
import { makeTempDir } from '../fixtures/service.js';
import { blobStoreSuite, type OpenBlobStore } from './blob-store.suite.js';
import { type OpenThumbnailStore, thumbnailStoreSuite } from './thumbnail-store.suite.js';

describe('the engine files', () => {
  describe('thumbnail store', () =>
    thumbnailStoreSuite({ open: async (maxBytes) => openThumbnailsIn(await makeTempDir(), maxBytes) }));
  describe('blob store', () => blobStoreSuite({ removal: 'immediate', open: async () => openIn(await makeTempDir()) }));
  describe('blob store of a node', () =>
    blobStoreSuite({ removal: 'quarantine', open: async () => openIn(await makeTempDir(), 'one') }));

  test.each([
    ['another name', 'two'],
    ['the same name, from a copied data directory', 'one'],
  ])('a node that starts leaves what one with %s is receiving', async (_, node) => {
    const dir = await makeTempDir();
    const one = await openFileBlobStore({ dir, node: 'one' });
    const staged = await one.stage(Readable.from([Buffer.from('words')]), 100);
    const two = await openFileBlobStore({ dir, node });
    await one.commit(staged);
    const content = await two.open({ checksum: staged.checksum, size: staged.size });
    expect(Buffer.concat(await content.toArray()).toString()).toBe('words');
    await rm(dir, { recursive: true });
  });

  test('a node whose folder for what it receives was removed while it rested receives again', async () => {
    const dir = await makeTempDir();
    const one = await openFileBlobStore({ dir, node: 'one' });
    const [run = ''] = await readdir(join(dir, 'incoming', 'one'));
    const old = new Date(Date.now() - 3_700_000);
    await utimes(join(dir, 'incoming', 'one', run), old, old);
    await openFileBlobStore({ dir, node: 'one' });
    expect(await readdir(join(dir, 'incoming', 'one'))).not.toContain(run);
    const staged = await one.stage(Readable.from([Buffer.from('words')]), 100);
    await one.commit(staged);
    expect(staged.size).toBe(5);
    await rm(dir, { recursive: true });
  });

  test('a node removes what its earlier runs were receiving once nothing has changed there for an hour', async () => {
    const dir = await makeTempDir();
    const stage = async () => {
      const store = await openFileBlobStore({ dir, node: 'one' });
      await store.stage(Readable.from([Buffer.from('words')]), 100);
    };
    const runs = () => readdir(join(dir, 'incoming', 'one'));
    await stage();
    const [former = ''] = await runs();
    await stage();
    expect(await runs()).toContain(former);
    const old = new Date(Date.now() - 3_700_000);
    const folder = join(dir, 'incoming', 'one', former);
    for (const name of await readdir(folder)) await utimes(join(folder, name), old, old);
    await utimes(folder, old, old);
    await stage();
    expect(await runs()).toHaveLength(2);
    expect(await runs()).not.toContain(former);
    await rm(dir, { recursive: true });
  });
});

async function openThumbnailsIn(dir: string, maxBytes: number): Promise<OpenThumbnailStore> {
  const fileOf = (key: string) => join(dir, key.slice(0, 2), key);
  return {
    thumbnails: await openFileThumbnailStore({ dir, maxBytes, log: silentLog }),
    reopen: (bytes) => openThumbnailsIn(dir, bytes),
    damage: (key, content) => (content ? writeFile(fileOf(key), content) : rm(fileOf(key))),
    async size() {
      const files = await readdir(dir, { recursive: true, withFileTypes: true });
      const sizes = files.filter((file) => file.isFile()).map((file) => stat(join(file.parentPath, file.name)));
      return (await Promise.all(sizes)).reduce((bytes, { size }) => bytes + size, 0);
    },
    destroy: () => rm(dir, { recursive: true, force: true }),
  };
}

async function openIn(dir: string, node?: string): Promise<OpenBlobStore> {
  const damages = new Map<string, string>();
  const fileOf = (checksum: string) => join(dir, checksum.slice(0, 2), checksum);
  return {
    blobs: await openFileBlobStore({
      dir,
      ...(node !== undefined && { node }),
      onDamage: (checksum, condition) => damages.set(checksum, condition),
    }),
    reopen: () => openIn(dir, node),
    damage: (checksum, content) => (content ? writeFile(fileOf(checksum), content) : rm(fileOf(checksum))),
    damaged: () => [...damages],
    destroy: () => rm(dir, { recursive: true, force: true }),
  };
}
