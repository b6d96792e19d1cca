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

  test('a committed file is stored byte for byte under its checksum, also after a restart', async () => {
    const content = randomBytes(300_000);
    const blob = await stage(content);
    expect(blob).toMatchObject({ checksum: sha256(content), size: content.length });
    expect(Buffer.from(blob.head)).toEqual(content.subarray(0, 65_536));
    await opened.blobs.commit(blob);
    opened = await opened.reopen();
    expect(await read(blob.checksum)).toEqual(content);
  });

  test('a range can be read', async () => {
    const blob = await stage(Buffer.from('0123456789'));
    await opened.blobs.commit(blob);
    expect(String(await buffer(await opened.blobs.open(blob.checksum, { start: 2, end: 4 })))).toBe('234');
  });

  test('an empty file can be stored', async () => {
    const blob = await stage(Buffer.alloc(0));
    await opened.blobs.commit(blob);
    expect(await read(blob.checksum)).toHaveLength(0);
  });

  test('a staged file cannot be read, and is removed when discarded', async () => {
    const blob = await stage(Buffer.from('secret'));
    await expect(opened.blobs.open(blob.checksum)).rejects.toMatchObject({ code: 'attachment.unreadable' });
    await opened.blobs.discard(blob);
    await opened.blobs.discard(blob);
    await expect(opened.blobs.commit(blob)).rejects.toThrow();
  });

  test('413 attachment.too-large: nothing is stored', async () => {
    await expect(opened.blobs.stage(Readable.from([Buffer.alloc(11)]), 10)).rejects.toMatchObject({
      kind: 'too-large',
      code: 'attachment.too-large',
    });
    expect(await opened.blobs.countUnreferenced(nothing)).toBe(0);
  });

  test('nothing remains of a stream that fails, and its error is passed on', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('begin');
        throw new Error('cut off');
      })(),
    );
    await expect(opened.blobs.stage(broken, 100)).rejects.toThrow('cut off');
    expect(await opened.blobs.countUnreferenced(nothing)).toBe(0);
  });

  test('the same content may be committed several times', async () => {
    const content = Buffer.from('twice');
    const [first, second] = [await stage(content), await stage(content)];
    await Promise.all([opened.blobs.commit(first), opened.blobs.commit(second)]);
    opened.blobs.release(first);
    expect(await opened.blobs.removeUnreferenced(nothing, [first.checksum])).toBe(0);
    opened.blobs.release(second);
    expect(await read(first.checksum)).toEqual(content);
    expect(await opened.blobs.removeUnreferenced(nothing, [first.checksum])).toBe(1);
  });

  test('only released, unreferenced files are removed', async () => {
    const [protectedBlob, referenced, unreferenced] = [
      await stage(Buffer.from('a')),
      await stage(Buffer.from('b')),
      await stage(Buffer.from('c')),
    ];
    for (const blob of [protectedBlob, referenced, unreferenced]) await opened.blobs.commit(blob);
    opened.blobs.release(referenced);
    opened.blobs.release(unreferenced);
    const all = [protectedBlob, referenced, unreferenced].map(({ checksum }) => checksum);
    expect(await opened.blobs.removeUnreferenced(async () => new Set([referenced.checksum]), all)).toBe(1);
    expect(await read(protectedBlob.checksum)).toHaveLength(1);
    expect(await read(referenced.checksum)).toHaveLength(1);
    await expect(read(unreferenced.checksum)).rejects.toMatchObject({ kind: 'broken' });
  });

  test('a file that is committed, referenced and released while a removal is reading the references is not removed', async () => {
    const content = Buffer.from('race');
    const first = await stage(content);
    await opened.blobs.commit(first);
    opened.blobs.release(first);
    const removed = await opened.blobs.removeUnreferenced(async () => {
      // The result of this query is out of date once the other upload has finished.
      const again = await stage(content);
      await opened.blobs.commit(again);
      opened.blobs.release(again);
      return new Set();
    }, [first.checksum]);
    expect(removed).toBe(0);
    expect(await read(first.checksum)).toEqual(content);
  });

  test('removal is limited to the given files', async () => {
    const [one, two] = [await stage(Buffer.from('1')), await stage(Buffer.from('2'))];
    for (const blob of [one, two]) {
      await opened.blobs.commit(blob);
      opened.blobs.release(blob);
    }
    expect(await opened.blobs.removeUnreferenced(nothing, [one.checksum])).toBe(1);
    expect(await read(two.checksum)).toHaveLength(1);
  });

  test('unreferenced files without protection are counted, and none is removed', async () => {
    const blobs = await Promise.all(['a', 'b', 'c'].map((content) => stage(Buffer.from(content))));
    for (const blob of blobs) await opened.blobs.commit(blob);
    const [, referenced, unreferenced] = blobs as [StagedBlob, StagedBlob, StagedBlob];
    opened.blobs.release(referenced);
    opened.blobs.release(unreferenced);
    expect(await opened.blobs.countUnreferenced(async () => new Set([referenced.checksum]))).toBe(1);
    for (const blob of blobs) expect(await read(blob.checksum)).toHaveLength(1);
  });

  test('500 attachment.unreadable: a damaged or missing file', async () => {
    const blob = await stage(Buffer.from('x'));
    await opened.blobs.commit(blob);
    await opened.damage(blob.checksum);
    await expect(read(blob.checksum)).rejects.toMatchObject({ kind: 'broken', code: 'attachment.unreadable' });
  });
}
