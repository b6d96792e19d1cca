import { hash, randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ThumbnailStore } from '../../src/attachments/thumbnail-store.port.js';

export interface ThumbnailEngine {
  open(maxBytes: number): Promise<OpenThumbnailStore>;
}

export interface OpenThumbnailStore {
  readonly thumbnails: ThumbnailStore;
  /** Opens the same data again, as a restart does. */
  reopen(maxBytes: number): Promise<OpenThumbnailStore>;
  /** Replaces the stored content; removes it if undefined. */
  damage(key: string, content: Uint8Array | undefined): Promise<void>;
  /** Bytes that are stored. */
  size(): Promise<number>;
  /** Removes the data. */
  destroy(): Promise<void>;
}

const key = (n: number) => `${hash('sha256', `${n}`)}-320`;

export function thumbnailStoreSuite({ open }: ThumbnailEngine): void {
  let opened: OpenThumbnailStore;
  beforeEach(async () => {
    opened = await open(100_000);
  });
  afterEach(() => opened.destroy());
  const found = async (n: number) => {
    const content = await opened.thumbnails.find(key(n));
    return content && Buffer.from(content);
  };

  test('a thumbnail is found as it was stored, also after a restart', async () => {
    const content = randomBytes(5_000);
    expect(await found(1)).toBeUndefined();
    await opened.thumbnails.put(key(1), content);
    expect(await found(1)).toEqual(content);
    opened = await opened.reopen(100_000);
    expect(await found(1)).toEqual(content);
  });

  test('a damaged, empty or missing one counts as absent, and can be stored again', async () => {
    const content = randomBytes(500);
    for (const damaged of [randomBytes(504), Buffer.alloc(0), undefined]) {
      await opened.thumbnails.put(key(1), content);
      await opened.damage(key(1), damaged);
      expect(await found(1)).toBeUndefined();
      await opened.thumbnails.put(key(1), content);
      expect(await found(1)).toEqual(content);
    }
  });

  test('those not used for the longest time are removed beyond the size, also after a restart', async () => {
    for (let n = 0; n < 10; n += 1) await opened.thumbnails.put(key(n), randomBytes(9_000));
    await found(0);
    await opened.thumbnails.put(key(10), randomBytes(18_000));
    await expect.poll(() => opened.size()).toBeLessThan(100_000);
    expect(await found(0)).toBeDefined();
    expect(await found(1)).toBeUndefined();
    opened = await opened.reopen(50_000);
    await expect.poll(() => opened.size()).toBeLessThan(50_000);
  });

  test('those stored while earlier ones are still being listed are kept', async () => {
    const keys = Array.from({ length: 200 }, (_, n) => n);
    await Promise.all(keys.map((n) => opened.thumbnails.put(key(n), randomBytes(100))));
    opened = await opened.reopen(1_000_000);
    await Promise.all(keys.map((n) => opened.thumbnails.put(key(n + 200), randomBytes(100))));
    for (const n of keys) expect(await found(n + 200)).toBeDefined();
  });

  test('one that cannot be stored is not an error', async () => {
    // No file can have this name.
    await opened.thumbnails.put('\0', randomBytes(10));
  });
}
