import { randomUUID } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
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
  logbook = await TestService.start({ logbookAccessFile, trustedProxies: '127.0.0.1' });
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

interface TiffForm {
  readonly bits: number;
  /** 1: without a sign; 2: with one; 3: floating point. */
  readonly format: number;
  readonly samples?: number;
  readonly isDeflated?: boolean;
}

/** A TIFF of 200 times 100 pixels. */
function tiff(values: ArrayBufferView, { bits, format, samples = 1, isDeflated = false }: TiffForm): Buffer {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const data = isDeflated ? deflateSync(bytes) : bytes;
  const fields: [tag: number, value: number][] = [
    ...([
      [256, 200],
      [257, 100],
      [258, bits],
      [259, isDeflated ? 8 : 1],
      [262, samples === 3 ? 2 : 1],
    ] as [number, number][]),
    ...([
      [273, 0],
      [277, samples],
      [278, 100],
      [279, data.length],
      [339, format],
    ] as [number, number][]),
  ];
  const directory = Buffer.alloc(8 + 2 + fields.length * 12 + 4 + 4 * samples);
  directory.write('II*\0\x08\0\0\0', 'latin1');
  directory.writeUInt16LE(fields.length, 8);
  for (const [index, [tag, value]] of fields.entries()) {
    const at = 10 + index * 12;
    const count = tag === 258 || tag === 339 ? samples : 1;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(count === 1 ? 4 : 3, at + 2);
    directory.writeUInt32LE(count, at + 4);
    const place = directory.length - (tag === 258 ? 4 : 2) * samples;
    directory.writeUInt32LE(tag === 273 ? directory.length : count === 1 ? value : place, at + 8);
    if (count > 1) for (let sample = 0; sample < count; sample++) directory.writeUInt16LE(value, place + 2 * sample);
  }
  return Buffer.concat([directory, data]);
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

  const ramp = Array.from({ length: 200 * 100 }, (_, at) => at % 200);
  /** The darkest and the brightest value of a thumbnail, of all colours together. */
  const rangeOf = async (id: string) => {
    const { status, bytes } = await getThumbnail(id);
    expect(status).toBe(200);
    const { channels } = await sharp(bytes).removeAlpha().stats();
    return {
      darkest: Math.min(...channels.map(({ min }) => min)),
      brightest: Math.max(...channels.map(({ max }) => max)),
    };
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

  test.each<[string, () => ArrayBufferView, object]>([
    ['16 bits', () => Uint16Array.from(ramp, (x) => x * 10), { bits: 16, format: 1 }],
    ['16 bits with a sign', () => Int16Array.from(ramp, (x) => x * 10 - 1_000), { bits: 16, format: 2 }],
    ['32 bits', () => Uint32Array.from(ramp, (x) => x * 40_000), { bits: 32, format: 1 }],
    ['small floating-point numbers', () => Float32Array.from(ramp, (x) => x / 1e6), { bits: 32, format: 3 }],
    [
      'large ones, some of which are none',
      () => Float32Array.from(ramp, (x, at) => (at < 200 ? Number.NaN : x * 1e6 - 1e8)),
      { bits: 32, format: 3 },
    ],
    [
      'three colours of 16 bits',
      () => Uint16Array.from(ramp.flatMap((x) => [x * 10, 0, x * 5])),
      { bits: 16, format: 1, samples: 3 },
    ],
    ['floating-point numbers of 64 bits', () => Float64Array.from(ramp, (x) => 1e9 + x / 100), { bits: 64, format: 3 }],
    [
      'those no smaller number holds, some of which are none',
      () => Float64Array.from(ramp, (x, at) => (at < 9 ? Number.NaN : x * 1e100)),
      { bits: 64, format: 3 },
    ],
    ['64 bits with a sign', () => BigInt64Array.from(ramp, (x) => BigInt(x) - 100n), { bits: 64, format: 2 }],
    ['32 bits with a sign', () => Int32Array.from(ramp, (x) => x * 100 - 2e9), { bits: 32, format: 2 }],
    ['8 bits with a sign', () => Int8Array.from(ramp, (x) => x - 100), { bits: 8, format: 2 }],
    [
      'three colours of 64 bits',
      () => Float64Array.from(ramp.flatMap((x) => [x * 10, 0, x * 5])),
      { bits: 64, format: 3, samples: 3 },
    ],
    [
      'three colours with a sign, deflated',
      () => Int32Array.from(ramp.flatMap((x) => [x * 10 - 1_000, 0, x * 5])),
      { bits: 32, format: 2, samples: 3, isDeflated: true },
    ],
    [
      'five samples of one grey',
      () => Uint16Array.from(ramp.flatMap((x) => [x * 10, 9, 9, 9, 9])),
      { bits: 16, format: 1, samples: 5 },
    ],
  ])('of a TIFF with %s are scaled to its range', async (_case, values, form) => {
    const { id } = await attach('measured.tiff', tiff(values(), form as TiffForm));
    expect(await rangeOf(id)).toEqual({ darkest: expect.closeTo(0, -1), brightest: expect.closeTo(255, -1) });
  });

  test.each([
    ['a hot pixel', 65_535, { bits: 16, format: 1 }],
    ['a pixel without a number', Number.POSITIVE_INFINITY, { bits: 32, format: 3 }],
    ['a dead pixel', -1e30, { bits: 32, format: 3 }],
  ] as const)('%s does not hide the rest of the image', async (_case, value, form) => {
    const Values: { from(values: number[]): ArrayBufferView } = form.bits === 16 ? Uint16Array : Float32Array;
    const { id } = await attach('hot.tiff', tiff(Values.from(ramp.map((x, at) => (at === 5_000 ? value : x))), form));
    const { channels } = await sharp((await getThumbnail(id)).bytes)
      .removeAlpha()
      .stats();
    expect(channels[0]?.mean).toBeGreaterThan(100);
    expect(channels[0]?.mean).toBeLessThan(155);
  });

  test('of a PNG with 16 bits are scaled too, with its transparency; of one colour, they are as bright as the image', async () => {
    const png = (value: (x: number) => number[], channels: 1 | 3 | 4, space: string) =>
      sharp(Buffer.from(Uint16Array.from(ramp.flatMap(value)).buffer), {
        raw: { width: 200, height: 100, channels, depth: 'ushort' } as never,
      })
        .toColourspace(space)
        .png()
        .toBuffer();
    const dim = await attach('dim.png', await png((x) => [x, x, x, 65_535], 4, 'rgb16'));
    expect(await rangeOf(dim.id)).toEqual({ darkest: expect.closeTo(0, -1), brightest: expect.closeTo(255, -1) });
    const half = await attach('half.png', await png((x) => [x, x, x, x < 100 ? 0 : 65_535], 4, 'rgb16'));
    const { channels } = await sharp((await getThumbnail(half.id)).bytes).stats();
    expect([channels[3]?.min, channels[3]?.max]).toEqual([0, 255]);
    const even = await attach('even.png', await png(() => [32_896, 32_896, 32_896], 3, 'rgb16'));
    expect(await rangeOf(even.id)).toEqual({ darkest: expect.closeTo(128, -1), brightest: expect.closeTo(128, -1) });
  });

  test('of 8 bits, palettes and CMYK are as bright as the image', async () => {
    const grey = image(100, 50).linear(0.2, 0);
    for (const [name, content] of [
      ['dark.png', await grey.clone().png().toBuffer()],
      ['palette.png', await grey.clone().png({ palette: true }).toBuffer()],
      ['cmyk.jpg', await grey.clone().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer()],
    ] as const) {
      const { id } = await attach(name, content);
      const { channels } = await sharp((await getThumbnail(id)).bytes).stats();
      expect([name, channels[0]?.max]).toEqual([name, expect.closeTo(40, -1.3)]);
    }
  });

  test('of one client are made one by one, so that those of another do not wait for them', async () => {
    const noise = sharp({
      create: {
        width: 2_000,
        height: 2_000,
        channels: 3,
        background: 'red',
        noise: { type: 'gaussian', mean: 128, sigma: 60 },
      },
    });
    const large = await noise.png({ compressionLevel: 1 }).toBuffer();
    const slow = await Promise.all(
      [0, 1, 2, 3, 4].map((at) => attach(`slow${at}.png`, Buffer.concat([large, Buffer.from([at])]))),
    );
    const { id } = await attach('quick.png', await image(50, 50).png().toBuffer());
    const ended: string[] = [];
    const ask = async (name: string, from: string, attachment: string) => {
      const headers = { ...member.headers, 'x-forwarded-for': from };
      const { status } = await getThumbnail(attachment, '640', {
        headers: name === 'quick' ? { 'x-forwarded-for': from } : headers,
      });
      expect(status).toBe(200);
      ended.push(name);
    };
    const all = slow.map((one, at) => ask(`slow${at}`, '10.0.0.1', one.id));
    await Promise.all([...all, ask('quick', '10.0.0.2', id)]);
    // Each node may be making one of them; in the order of the requests, it would be the last.
    expect(ended.indexOf('quick')).toBeLessThan(4);
  });

  test('are made once, found again after they were removed, and not made of damaged ones', async () => {
    const { id, checksum } = await attach('once.png', await image(300, 301).png().toBuffer());
    const first = await getThumbnail(id);
    const folder = join(logbook.dataDir, 'thumbnails', checksum.slice(0, 2));
    // Thumbnails of other images may be in the same folder.
    const stored = (await readdir(folder)).filter((name) => name.startsWith(checksum));
    expect(stored).toEqual([`${checksum}-320-3`]);
    await rm(folder, { recursive: true });
    expect((await getThumbnail(id)).bytes).toEqual(first.bytes);
  });

  test('404 for files other than images, SVG under any name, a cut-off image, and too many pixels', async () => {
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
      ['cut.tiff', tiff(new Float64Array(20_000), { bits: 64, format: 3 }).subarray(0, 5_000)],
      ['complex.tiff', tiff(new Float64Array(40_000), { bits: 128, format: 6 })],
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

  test('of a closed logbook are found only by its readers, even once they are made', async () => {
    const { id } = await attach('secret.png', await image(40, 30).png().toBuffer(), 'Safety');
    expect((await getThumbnail(id)).status).toBe(200);
    for (const options of [{}, { headers: { authorization: `Basic ${btoa('user:userPass')}` } }]) {
      const refused = await getThumbnail(id, '', options);
      expect([refused.status, codeOf(refused)]).toEqual([404, 'attachment.not-found']);
      expect((await getThumbnail(id, '', { headers: { ...options.headers, 'if-none-match': '*' } })).status).toBe(404);
    }
  });

  test('a page full of them at the same time', async () => {
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
