import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlobReference, BlobStore, StagedBlob } from '../../src/attachments/blob-store.port.js';

export interface BlobEngine {
  /** Fate of files that a failed write has added. */
  readonly removal: 'immediate' | 'quarantine';
  open(): Promise<OpenBlobStore>;
}

export interface OpenBlobStore {
  readonly blobs: BlobStore;
  /** Opens the same data again, as a restart does. */
  reopen(): Promise<OpenBlobStore>;
  /** Replaces the stored content; removes it if undefined. */
  damage(checksum: string, content: Uint8Array | undefined): Promise<void>;
  /** The damages reported so far, each once. */
  damaged(): (readonly [checksum: string, condition: string])[];
  /** Removes the data. */
  destroy(): Promise<void>;
}

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
const nothing = async () => new Set<string>();

async function collect(batches: AsyncIterable<readonly string[]>): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

export function blobStoreSuite({ open, removal }: BlobEngine): void {
  let opened: OpenBlobStore;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await opened.destroy();
  });
  const stage = (content: Uint8Array) => opened.blobs.stage(Readable.from([content]), 1_000_000);
  const read = async (blob: BlobReference) => buffer(await opened.blobs.open(blob));
  const listStored = async () => (await collect(opened.blobs.list())).sort();
  const listQuarantined = () => collect(opened.blobs.listQuarantined());

  test('a committed file is stored byte for byte under its checksum, also after a restart', async () => {
    const content = randomBytes(300_000);
    const blob = await stage(content);
    expect(blob).toMatchObject({ checksum: sha256(content), size: content.length });
    expect(Buffer.from(blob.head)).toEqual(content.subarray(0, 65_536));
    await opened.blobs.commit(blob);
    opened = await opened.reopen();
    expect(await read(blob)).toEqual(content);
  });

  test('a range can be read', async () => {
    const blob = await stage(Buffer.from('0123456789'));
    await opened.blobs.commit(blob);
    expect(String(await buffer(await opened.blobs.open(blob, { start: 2, end: 4 })))).toBe('234');
  });

  test('an empty file can be stored', async () => {
    const blob = await stage(Buffer.alloc(0));
    await opened.blobs.commit(blob);
    expect(await read(blob)).toHaveLength(0);
  });

  test('a staged file cannot be read, and is removed when discarded', async () => {
    const blob = await stage(Buffer.from('secret'));
    await expect(opened.blobs.open(blob)).rejects.toMatchObject({ code: 'attachment.unreadable' });
    await opened.blobs.discard(blob);
    await opened.blobs.discard(blob);
    await expect(opened.blobs.commit(blob)).rejects.toThrow();
  });

  test('413 attachment.too-large: nothing is stored', async () => {
    await expect(opened.blobs.stage(Readable.from([Buffer.alloc(11)]), 10)).rejects.toMatchObject({
      kind: 'too-large',
      code: 'attachment.too-large',
    });
    expect(await listStored()).toEqual([]);
  });

  test('nothing remains of a stream that fails, and its error is passed on', async () => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('begin');
        throw new Error('cut off');
      })(),
    );
    await expect(opened.blobs.stage(broken, 100)).rejects.toThrow('cut off');
    expect(await listStored()).toEqual([]);
  });

  test('the same content may be committed several times', async () => {
    const content = Buffer.from('twice');
    const [first, second] = [await stage(content), await stage(content)];
    await Promise.all([opened.blobs.commit(first), opened.blobs.commit(second)]);
    opened.blobs.release(first);
    expect(await opened.blobs.removeUnreferenced(nothing, [first, second])).toBe(0);
    opened.blobs.release(second);
    expect(await read(first)).toEqual(content);
    expect(await opened.blobs.removeUnreferenced(nothing, [first, second])).toBe(1);
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
    const all = [protectedBlob, referenced, unreferenced];
    expect(await opened.blobs.removeUnreferenced(async () => new Set([referenced.checksum]), all)).toBe(1);
    expect(await read(protectedBlob)).toHaveLength(1);
    expect(await read(referenced)).toHaveLength(1);
    expect(await listStored()).toEqual([referenced.checksum]);
    if (removal === 'quarantine') expect(await listQuarantined()).toEqual([unreferenced.checksum]);
    else await expect(read(unreferenced)).rejects.toMatchObject({ kind: 'broken' });
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
    }, [first]);
    expect(removed).toBe(0);
    expect(await read(first)).toEqual(content);
  });

  test('removal is limited to the given files', async () => {
    const [one, two] = [await stage(Buffer.from('1')), await stage(Buffer.from('2'))];
    for (const blob of [one, two]) {
      await opened.blobs.commit(blob);
      opened.blobs.release(blob);
    }
    expect(await opened.blobs.removeUnreferenced(nothing, [one])).toBe(1);
    expect(await read(two)).toHaveLength(1);
  });

  test('a file that was stored before its commit is not removed', async () => {
    const content = Buffer.from('known before');
    const first = await stage(content);
    await opened.blobs.commit(first);
    opened = await opened.reopen();
    const again = await stage(content);
    await opened.blobs.commit(again);
    opened.blobs.release(again);
    expect(await opened.blobs.removeUnreferenced(nothing, [again])).toBe(0);
    expect(await read(first)).toEqual(content);
  });

  test('protected files are not listed', async () => {
    const [protectedBlob, other] = [await stage(Buffer.from('a')), await stage(Buffer.from('b'))];
    for (const blob of [protectedBlob, other]) await opened.blobs.commit(blob);
    opened.blobs.release(other);
    expect(await listStored()).toEqual([other.checksum]);
  });

  describe('quarantine', () => {
    const commitAll = async (...contents: string[]) => {
      const blobs = await Promise.all(contents.map((content) => stage(Buffer.from(content))));
      for (const blob of blobs) {
        await opened.blobs.commit(blob);
        opened.blobs.release(blob);
      }
      return blobs as [StagedBlob, ...StagedBlob[]];
    };

    test('takes only files that are neither protected nor referenced', async () => {
      const [taken, referenced, protectedBlob] = (await commitAll('a', 'b', 'c')) as [
        StagedBlob,
        StagedBlob,
        StagedBlob,
      ];
      await opened.blobs.commit(await stage(Buffer.from('c')));
      const checksums = [taken, referenced, protectedBlob].map(({ checksum }) => checksum);
      const moved = await opened.blobs.quarantine(async () => new Set([referenced.checksum]), checksums);
      expect(moved).toEqual([taken.checksum]);
      expect(await listQuarantined()).toEqual([taken.checksum]);
      expect(await listStored()).toEqual([referenced.checksum]);
      opened = await opened.reopen();
      expect(await listQuarantined()).toEqual([taken.checksum]);
    });

    test('a file in it is still found', async () => {
      const [blob] = await commitAll('a');
      await opened.blobs.quarantine(nothing, [blob.checksum]);
      expect(String(await read(blob))).toBe('a');
      expect(await opened.blobs.verify(blob)).toBe('intact');
    });

    test('a file can be restored; without effect when it is not there', async () => {
      const [blob] = await commitAll('a');
      await opened.blobs.quarantine(nothing, [blob.checksum]);
      await opened.blobs.restore(blob.checksum);
      await opened.blobs.restore(blob.checksum);
      expect(await listQuarantined()).toEqual([]);
      expect(await listStored()).toEqual([blob.checksum]);
    });

    test('a removal there never affects a stored file', async () => {
      const [blob] = await commitAll('a');
      await opened.blobs.quarantine(nothing, [blob.checksum]);
      const again = await stage(Buffer.from('a'));
      await opened.blobs.commit(again);
      await opened.blobs.removeQuarantined(blob.checksum);
      await opened.blobs.removeQuarantined(blob.checksum);
      expect(String(await read(blob))).toBe('a');
      expect(await listQuarantined()).toEqual([]);
    });
  });

  describe('a damaged file', () => {
    const content = randomBytes(200_000);
    const flipped = Buffer.from(content);
    flipped.writeUInt8(flipped.readUInt8(150_000) ^ 1, 150_000);
    const failure = { kind: 'broken', code: 'attachment.unreadable' };

    test.each([
      ['has a flipped bit', flipped],
      ['is shorter', content.subarray(0, 100_000)],
      ['is longer', Buffer.concat([content, Buffer.from('HTTP/1.1 200 OK')])],
      ['is empty', Buffer.alloc(0)],
    ])('never looks complete when it %s, in whole and in part, and is reported', async (_case, stored) => {
      const blob = await stage(content);
      await opened.blobs.commit(blob);
      expect(await opened.blobs.verify(blob)).toBe('intact');
      await opened.damage(blob.checksum, stored);
      await expect(read(blob)).rejects.toMatchObject(failure);
      await expect(opened.blobs.open(blob, { start: 0, end: 9 }).then(buffer)).rejects.toMatchObject(failure);
      expect(await opened.blobs.verify(blob)).toBe('damaged');
      expect(opened.damaged()).toEqual([[blob.checksum, 'damaged']]);
    });

    test('is repaired by a new upload of the same content', async () => {
      const blob = await stage(content);
      await opened.blobs.commit(blob);
      await opened.damage(blob.checksum, flipped);
      expect(await opened.blobs.verify(blob)).toBe('damaged');
      await opened.blobs.commit(await stage(content));
      expect(await opened.blobs.verify(blob)).toBe('intact');
      expect(await read(blob)).toEqual(content);
    });

    test('a missing file is reported too', async () => {
      const blob = await stage(content);
      await opened.blobs.commit(blob);
      await opened.damage(blob.checksum, undefined);
      await expect(read(blob)).rejects.toMatchObject(failure);
      expect(await opened.blobs.verify(blob)).toBe('missing');
      expect(opened.damaged()).toEqual([[blob.checksum, 'missing']]);
    });
  });

  test('an intact file is read in any part, before and after it was verified', async () => {
    const content = randomBytes(200_000);
    const blob = await stage(content);
    await opened.blobs.commit(blob);
    for (const [start, end] of [
      [65_530, 70_000],
      [0, 0],
      [199_999, 199_999],
      [0, 199_999],
    ] as const) {
      expect(await buffer(await opened.blobs.open(blob, { start, end }))).toEqual(content.subarray(start, end + 1));
    }
    expect(await read(blob)).toEqual(content);
  });
}
