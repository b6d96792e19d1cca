import { describe, expect, test } from 'vitest';
import { readImageSize } from './image-size.js';

const bytes = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex');

const png = bytes('89504e470d0a1a0a 0000000d 49484452 00000280 000001e0');
const gif = bytes('474946383961 8002 e001');
const bmp = Buffer.alloc(26);
bmp.writeInt32LE(640, 18);
bmp.writeInt32LE(-480, 22);
const webp = (format: string, at: number, content: string) =>
  Buffer.concat([Buffer.from('RIFF____WEBP'), Buffer.from(format), Buffer.alloc(at - 16), bytes(content)]);
const app = (orientation: string) =>
  `ffe1 0022 457869660000 4d4d002a 00000008 0001 0112 0003 00000001 ${orientation} 0000 00000000`;
const jpeg = (before: string) => bytes(`ffd8 ffe0 0004 0000 ${before} ffc2 0011 08 01e0 0280 03 000000000000000000`);

describe('the size of an image is read from its header:', () => {
  test.each([
    ['image/png', png],
    ['image/gif', gif],
    ['image/bmp', bmp],
    ['image/webp', webp('VP8X', 24, '7f0200 df0100')],
    ['image/webp', webp('VP8 ', 26, '8002 e001')],
    ['image/webp', webp('VP8L', 21, '7fc27700')],
    ['image/jpeg', jpeg('')],
    ['image/jpeg', jpeg(app('0003'))],
  ])('%s', (type, head) => {
    expect(readImageSize(head, type)).toEqual({ width: 640, height: 480 });
  });

  test('a photo that is turned has the size in which it is shown', () => {
    expect(readImageSize(jpeg(app('0006')), 'image/jpeg')).toEqual({ width: 480, height: 640 });
  });
});

describe('undefined', () => {
  test('for a header that is cut off at any byte', () => {
    for (const [type, head] of [
      ['image/png', png],
      ['image/gif', gif],
      ['image/bmp', bmp],
      ['image/jpeg', jpeg(app('0006')).subarray(0, 53)],
    ] as const) {
      for (let length = 0; length < head.length; length += 1) {
        expect(readImageSize(head.subarray(0, length), type), `${type} ${length}`).toBeUndefined();
      }
    }
  });

  test('for other types, and for a size of 0', () => {
    expect(readImageSize(png, 'image/svg+xml')).toBeUndefined();
    expect(readImageSize(Buffer.alloc(30), 'image/gif')).toBeUndefined();
  });

  test('for a segment that leads nowhere, and for Exif data that point outside', () => {
    expect(readImageSize(bytes('ffd8 ffe0 0000 0000'), 'image/jpeg')).toBeUndefined();
    const outside = app('0006').replace('4d4d002a 00000008', '4d4d002a ffffffff');
    expect(readImageSize(jpeg(outside), 'image/jpeg')).toBeUndefined();
  });
});
