import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { headBytes } from '../../src/attachments/blob-store.port.js';
import { encodingOf } from '../../src/attachments/detect-encoding.js';
import { findCharset } from '../../src/attachments/find-charset.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { makeTempDir } from '../fixtures/service.js';

let dir: string;
let blobs: Awaited<ReturnType<typeof openFileBlobStore>>;
beforeAll(async () => {
  dir = await makeTempDir();
  blobs = await openFileBlobStore({ dir });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const gb18030 = Buffer.from('cab1bce42cb5e7c1f72cb5e7d1b90a', 'hex');

test('wherever the first letter of another script is, a file is served and searched in the same encoding', async () => {
  for (let before = 3 * headBytes - 9; before < 3 * headBytes + 3; before += 1) {
    const content = Buffer.concat([Buffer.alloc(before, 'CH1;0\n'), ...Array<Buffer>(9_000).fill(gb18030)]);
    const blob = await blobs.stage(Readable.from([content]), content.length);
    await blobs.commit(blob);
    const served = await findCharset(blobs, blob, new AbortController().signal);
    expect([before, served]).toEqual([before, encodingOf(content)]);
    expect(served).toBe('gb18030');
  }
});

test('a reader that leaves early does not decide in which encoding later ones get the file', async () => {
  const content = Buffer.concat([
    Buffer.alloc(2_000_000, 'CH1;0\n'),
    Buffer.from('Gr\u00f6\u00dfe\n'.repeat(9), 'latin1'),
  ]);
  const blob = await blobs.stage(Readable.from([content]), content.length);
  await blobs.commit(blob);
  const leaving = new AbortController();
  const left = {
    ...blobs,
    open: async () => {
      leaving.abort(new Error('left'));
      return Readable.from([content.subarray(0, 65_536), content.subarray(65_536)]);
    },
  };
  await expect(findCharset(left, blob, leaving.signal)).rejects.toThrow('left');
  expect(await findCharset(blobs, blob, new AbortController().signal)).toBe(encodingOf(content));
});
