import { describe, expect, test } from 'vitest';
import { Fault } from '../kernel/fault.js';
import { detectMediaType } from './media-type.js';

const box = (type: string, ...contents: (Buffer | string)[]) => {
  const content = Buffer.concat(contents.map((one) => (typeof one === 'string' ? Buffer.from(one, 'latin1') : one)));
  const head = Buffer.alloc(8, type, 'latin1');
  head.writeUInt32BE(8 + content.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
};
const ftyp = (major: string, ...compatible: string[]) => box('ftyp', major, '\0\0\0\0', ...compatible);
/** The box that names the codings of the pictures. */
const meta = (...items: string[]) => {
  const entries = items.map((type, at) => box('infe', '\x02\0\0\0', Buffer.from([0, at + 1, 0, 0]), type, 'name\0'));
  return box(
    'meta',
    '\0\0\0\0',
    box('hdlr', '\0'.repeat(20)),
    box('iinf', '\0\0\0\0', Buffer.from([0, items.length]), ...entries),
  );
};
const typeOf = (content: Uint8Array | string, name = 'file') =>
  detectMediaType(typeof content === 'string' ? Buffer.from(content, 'latin1') : content, name).catch(
    (error: unknown) => (error instanceof Fault ? error.code : error),
  );

describe('images of the HEIF family', () => {
  test.each<[string, string, Buffer]>([
    ['AVIF', 'image/avif', ftyp('avif', 'avif', 'mif1', 'miaf')],
    ['AVIF with a HEIF major brand', 'image/avif', ftyp('mif1', 'mif1', 'avif', 'miaf')],
    ['a sequence of AVIF', 'image/avif', ftyp('avis', 'avis', 'msf1')],
    ['a sequence of AVIF with a HEIF major brand', 'image/avif', ftyp('msf1', 'avis', 'iso8')],
    ['AVIF behind a free box', 'image/avif', Buffer.concat([box('free', '12345678'), ftyp('mif1', 'avif')])],
    ['AVIF by its pictures alone', 'image/avif', Buffer.concat([ftyp('mif1', 'mif1'), meta('av01', 'Exif')])],
    [
      'AVIF in tiles, with a wrong major brand',
      'image/avif',
      Buffer.concat([ftyp('heic', 'mif1', 'avif'), meta('grid', 'av01', 'av01')]),
    ],
    ['HEIC', 'attachment.heic', ftyp('heic', 'mif1', 'heic')],
    ['HEIC with a HEIF major brand', 'attachment.heic', ftyp('mif1', 'mif1', 'heic')],
    ['HEIC as a film', 'attachment.heic', ftyp('isom', 'isom', 'heic')],
    [
      'HEIC that calls itself AVIF',
      'attachment.heic',
      Buffer.concat([ftyp('avif', 'avif', 'mif1'), meta('grid', 'hvc1')]),
    ],
    ['HEIF of unknown coding', 'attachment.heic', ftyp('mif1', 'mif1', 'miaf')],
    ['HEIF with JPEG pictures', 'attachment.heic', Buffer.concat([ftyp('mif1', 'mif1'), meta('jpeg')])],
    ['a film', 'video/mp4', Buffer.concat([ftyp('isom', 'isom', 'mp42'), box('moov', 'hvc1')])],
  ])('%s', async (_case, type, content) => {
    expect(await typeOf(content, 'image.png')).toBe(type);
  });

  test('a file cut off or changed at any byte has a media type or a fault code', async () => {
    const whole = Buffer.concat([ftyp('mif1', 'avif'), meta('grid', 'av01')]);
    for (let end = 0; end <= whole.length; end++) expect(await typeOf(whole.subarray(0, end))).toBeTypeOf('string');
    for (let at = 0; at < whole.length; at++) {
      for (const value of [0, 1, 255]) {
        const changed = Buffer.from(whole);
        changed[at] = value;
        expect(await typeOf(changed)).toBeTypeOf('string');
      }
    }
  });
});

describe('text by any name', () => {
  test.each([
    ['a.csv', 'Units,\xb5s\n0,1\n', 'text/csv'],
    ['a.dat', 'Units,\xb5s\n0,1\n', 'text/plain'],
    ['a.png', 'Units,\xb5s\n0,1\n', 'text/plain'],
    ['table.csv', 'BM1,BM2\n1,2\n', 'text/csv'],
    ['table.csv', 'AC1018,AC1021\n1,2\n', 'text/csv'],
    ['notes.txt', 'SQLite is locked again\n', 'text/plain'],
    ['notes.txt', '%PDF-1.4\n', 'application/pdf'],
    ['notes', 'MZ-3 was replaced', 'text/plain'],
    ['notes.txt', 'ID3 of the diagnostics', 'text/plain'],
    ['a.txt', '\xff\xfba \xff and more', 'text/plain'],
    ['a.txt', '', 'text/plain'],
    ['drawing.svg', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
    ['data', '<?xml version="1.0"?><data/>', 'application/xml'],
  ])('%s: %s', async (name, content, type) => {
    expect(await typeOf(content, name)).toBe(type);
  });

  test.each([
    ['a.csv', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'image/png'],
    ['a.txt', Buffer.from([0x42, 0x4d, 0x46, 0, 0, 0, 0, 0, 0, 0, 0x36, 0, 0, 0]), 'image/bmp'],
    ['a.csv', Buffer.from([1, 2, 0, 4]), 'application/octet-stream'],
    ['in UTF-32.csv', Buffer.from('fffe000061000000e4000000', 'hex'), 'application/octet-stream'],
    ['cut off in UTF-16.csv', Buffer.from('\ufeffa,ä\r\n1', 'utf16le').subarray(0, -1), 'text/csv'],
    ['a', Buffer.alloc(0), 'application/octet-stream'],
  ])('the content decides if it cannot be what the name says: %s', async (name, content, type) => {
    expect(await typeOf(content, name)).toBe(type);
  });
});
