import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BlobStore, StagedBlob } from '../../src/attachments/blob-store.port.js';

export interface BlobEngine {
  open(): Promise<OpenBlobStore>;
}

export interface OpenBlobStore {
  readonly blobs: BlobStore;
  /** Opens the same data again, as a restart does. */
  reopen(): Promise<OpenBlobStore>;
  /** Makes the stored content unreadable. */
  damage(checksum: string): Promise<void>;
  /** Removes the data. */
  destroy(): Promise<void>;
}

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
const nothing = async () => new Set<string>();

/** What every blob store must do. */
export function blobStoreSuite({ open }: BlobEngine): void {
  let opened: OpenBlobStore;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await opened.destroy();
  });
  const stage = (content: Uint8Array) => opened.blobs.stage(Readable.from([content]), 1_000_000);
  const read = async (checksum: string) => buffer(await opened.blobs.open(checksum));

  test('stored content is found byte for byte under its checksum, also after a restart', async () => {
    const content = randomBytes(300_000);
    const blob = await stage(content);
    expect(blob).toMatchObject({ checksum: sha256(content), size: content.length });
    expect(Buffer.from(blob.head)).toEqual(content.subarray(0, 65_536));
    await opened.blobs.keep(blob);
    opened = await opened.reopen();
    expect(await read(blob.checksum)).toEqual(content);
  });

  test('a range can be read', async () => {
    const blob = await stage(Buffer.from('0123456789'));
    await opened.blobs.keep(blob);
    expect(String(await buffer(await opened.blobs.open(blob.checksum, { start: 2, end: 4 })))).toBe('234');
  });

  test('an empty file can be stored', async () => {
    const blob = await stage(Buffer.alloc(0));
    await opened.blobs.keep(blob);
    expect(await read(blob.checksum)).toHaveLength(0);
  });

  test('a staged blob cannot be read, and is removed when discarded', async () => {
    const blob = await stage(Buffer.from('secret'));
    await expect(opened.blobs.open(blob.checksum)).rejects.toMatchObject({ code: 'attachment.unreadable' });
    await opened.blobs.discard(blob);
    await opened.blobs.discard(blob);
    await expect(opened.blobs.keep(blob)).rejects.toThrow();
  });

  test('413 attachment.too-large: nothing is stored', async () => {
    await expect(opened.blobs.stage(Readable.from([Buffer.alloc(11)]), 10)).rejects.toMatchObject({
      kind: 'too-large',
      code: 'attachment.too-large',
    });
    expect(await opened.blobs.countUnreferenced(nothing)).toBe(0);
  });

  test('a failing stream stores nothing and rejects with its error', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('begin');
        throw new Error('cut off');
      })(),
    );
    await expect(opened.blobs.stage(broken, 100)).rejects.toThrow('cut off');
    expect(await opened.blobs.countUnreferenced(nothing)).toBe(0);
  });

  test('the same content may be stored several times', async () => {
    const content = Buffer.from('twice');
    const [first, second] = [await stage(content), await stage(content)];
    await Promise.all([opened.blobs.keep(first), opened.blobs.keep(second)]);
    opened.blobs.release(first);
    expect(await opened.blobs.removeUnreferenced(nothing, [first.checksum])).toBe(0);
    opened.blobs.release(second);
    expect(await read(first.checksum)).toEqual(content);
    expect(await opened.blobs.removeUnreferenced(nothing, [first.checksum])).toBe(1);
  });

  test('only released blobs without a claim are removed', async () => {
    const [held, claimed, loose] = [
      await stage(Buffer.from('a')),
      await stage(Buffer.from('b')),
      await stage(Buffer.from('c')),
    ];
    for (const blob of [held, claimed, loose]) await opened.blobs.keep(blob);
    opened.blobs.release(claimed);
    opened.blobs.release(loose);
    const all = [held, claimed, loose].map(({ checksum }) => checksum);
    expect(await opened.blobs.removeUnreferenced(async () => new Set([claimed.checksum]), all)).toBe(1);
    expect(await read(held.checksum)).toHaveLength(1);
    expect(await read(claimed.checksum)).toHaveLength(1);
    await expect(read(loose.checksum)).rejects.toMatchObject({ kind: 'broken' });
  });

  test('a blob that is stored, claimed and released while a removal queries the claims is not removed', async () => {
    const content = Buffer.from('race');
    const first = await stage(content);
    await opened.blobs.keep(first);
    opened.blobs.release(first);
    const removed = await opened.blobs.removeUnreferenced(async () => {
      // This list of claims is out of date once the other upload has finished.
      const again = await stage(content);
      await opened.blobs.keep(again);
      opened.blobs.release(again);
      return new Set();
    }, [first.checksum]);
    expect(removed).toBe(0);
    expect(await read(first.checksum)).toEqual(content);
  });

  test('removal is limited to the given checksums', async () => {
    const [one, two] = [await stage(Buffer.from('1')), await stage(Buffer.from('2'))];
    for (const blob of [one, two]) {
      await opened.blobs.keep(blob);
      opened.blobs.release(blob);
    }
    expect(await opened.blobs.removeUnreferenced(nothing, [one.checksum])).toBe(1);
    expect(await read(two.checksum)).toHaveLength(1);
  });

  test('counting includes blobs that are neither protected nor claimed, and removes nothing', async () => {
    const blobs = await Promise.all(['a', 'b', 'c'].map((content) => stage(Buffer.from(content))));
    for (const blob of blobs) await opened.blobs.keep(blob);
    const [, claimed, loose] = blobs as [StagedBlob, StagedBlob, StagedBlob];
    opened.blobs.release(claimed);
    opened.blobs.release(loose);
    expect(await opened.blobs.countUnreferenced(async () => new Set([claimed.checksum]))).toBe(1);
    for (const blob of blobs) expect(await read(blob.checksum)).toHaveLength(1);
  });

  test('500 attachment.unreadable: a missing or corrupt file', async () => {
    const blob = await stage(Buffer.from('x'));
    await opened.blobs.keep(blob);
    await opened.damage(blob.checksum);
    await expect(read(blob.checksum)).rejects.toMatchObject({ kind: 'broken', code: 'attachment.unreadable' });
  });
}
