import { randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallOptions, entryForm, makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

const library = await import('sharp').catch(() => undefined);

let logbook: TestService;
let dir: string;
let member: CallOptions;

beforeAll(async () => {
  dir = await makeTempDir();
  const logbookAccessFile = join(dir, 'access.properties');
  await writeFile(logbookAccessFile, 'Safety.read = Safety Team\n');
  logbook = await TestService.start({ logbookAccessFile });
  await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, { as: 'admin:adminPass' });
  member = { as: null, headers: { cookie: await sessionOf(logbook, principal('mia', [], ['Safety Team'])) } };
});
afterAll(async () => {
  await logbook.stop();
  await rm(dir, { recursive: true });
});

/** Stores a file of an entry; resolves to its attachment. */
async function attach(name: string, content: Uint8Array | string, logbookName = 'operations', options = member) {
  const id = randomUUID();
  const entry = { title: 'x', logbooks: [{ name: logbookName }], attachments: [{ id, filename: name }] };
  const body = entryForm(entry, [{ name, content }]);
  const answer = await logbook.call('/logs/multipart', { method: 'PUT', body, ...options });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.attachments[0];
}

/** Fetches a thumbnail with its bytes. */
async function getThumbnail(id: string, size = '', { headers = {} }: CallOptions = member) {
  const query = size === '' ? '' : `?size=${size}`;
  const response = await fetch(`${logbook.base}/attachment/${id}/thumbnail${query}`, { headers });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

const codeOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).code;

describe.skipIf(!library)('thumbnails (package sharp)', () => {
  const sharp = (library as NonNullable<typeof library>)?.default;
  const image = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 30 } } });
  const sizeOf = async (bytes: Buffer) => {
    const { format, width, height } = await sharp(bytes).metadata();
    return `${format} ${width} ${height}`;
  };

  test('are WebP within the size, never larger than the image, with private caching', async () => {
    const wide = await attach('wide.png', await image(1_000, 500).png().toBuffer());
    expect(wide).toMatchObject({ width: 1_000, height: 500 });
    for (const [size, expected] of [
      ['160', 'webp 160 80'],
      ['', 'webp 320 160'],
      ['640', 'webp 640 320'],
    ] as const) {
      const { status, headers, bytes } = await getThumbnail(wide.id, size);
      expect([status, headers.get('content-type'), await sizeOf(bytes)]).toEqual([200, 'image/webp', expected]);
      expect(headers.get('cache-control')).toBe('private, no-cache');
      expect(headers.get('vary')).toContain('Cookie');
      const etag = headers.get('etag') ?? '';
      const again = await getThumbnail(wide.id, size, { headers: { ...member.headers, 'if-none-match': etag } });
      expect(again.status).toBe(304);
    }
    const small = await attach('small.gif', await image(20, 10).gif().toBuffer());
    expect(await sizeOf((await getThumbnail(small.id)).bytes)).toBe('webp 20 10');
    for (const size of ['161', '0', 'large']) expect((await getThumbnail(wide.id, size)).status).toBe(400);
  });

  test('are turned upright; JPEG, WebP, AVIF and TIFF have them too', async () => {
    const turned = await image(400, 200).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const photo = await attach('photo.jpg', turned);
    expect(photo).toMatchObject({ width: 200, height: 400 });
    expect(await sizeOf((await getThumbnail(photo.id)).bytes)).toBe('webp 160 320');
    for (const format of ['webp', 'avif', 'tiff'] as const) {
      const { id } = await attach(`image.${format}`, await image(400, 200).toFormat(format).toBuffer());
      expect(await sizeOf((await getThumbnail(id)).bytes), format).toBe('webp 320 160');
    }
  });

  test('are made once, found again after they were removed, and not made of damaged ones', async () => {
    const { id, checksum } = await attach('once.png', await image(300, 301).png().toBuffer());
    const first = await getThumbnail(id);
    const folder = join(logbook.dataDir, 'thumbnails', checksum.slice(0, 2));
    expect(await readdir(folder)).toEqual([`${checksum}-320`]);
    await rm(folder, { recursive: true });
    expect((await getThumbnail(id)).bytes).toEqual(first.bytes);
  });

  test('404 for what is no image, SVG under any name, a cut-off image, and too many pixels', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="5" height="5"/></svg>';
    const whole = await image(500, 500).jpeg().toBuffer();
    const huge = await sharp({ create: { width: 16_000, height: 16_000, channels: 3, background: 'red' } })
      .png({ compressionLevel: 9 })
      .toBuffer();
    for (const [name, content] of [
      ['text.txt', 'text'],
      ['drawing.svg', svg],
      ['drawing.png', svg],
      ['cut.jpg', whole.subarray(0, 400)],
      ['garbage.png', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100)])],
      ['huge.png', huge],
    ] as const) {
      const { id } = await attach(name, content);
      const refused = await getThumbnail(id);
      expect([name, refused.status, codeOf(refused)]).toEqual([name, 404, 'attachment.no-thumbnail']);
    }
    const { id } = await attach('after.png', await image(30, 30).png().toBuffer());
    expect((await getThumbnail(id)).status).toBe(200);
  });

  test('of a closed logbook are found by its readers alone, also once they are made', async () => {
    const { id } = await attach('secret.png', await image(40, 30).png().toBuffer(), 'Safety');
    expect((await getThumbnail(id)).status).toBe(200);
    for (const options of [{}, { headers: { authorization: `Basic ${btoa('user:userPass')}` } }]) {
      const refused = await getThumbnail(id, '', options);
      expect([refused.status, codeOf(refused)]).toEqual([404, 'attachment.not-found']);
      expect((await getThumbnail(id, '', { headers: { ...options.headers, 'if-none-match': '*' } })).status).toBe(404);
    }
  });

  test('a page full of them at once', async () => {
    const content = await image(200, 200).png().toBuffer();
    const { id } = await attach('page.png', content);
    const answers = await Promise.all(Array.from({ length: 60 }, () => getThumbnail(id, '160')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

test('404 for an attachment that is not there', async () => {
  const refused = await getThumbnail(randomUUID());
  expect([refused.status, codeOf(refused)]).toEqual([404, 'attachment.not-found']);
});
