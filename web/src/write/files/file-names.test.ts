import { expect, test } from 'vitest';
import {
  embeddedImage,
  embeddedPattern,
  formatLimit,
  freeName,
  jpegName,
  restoreRemoved,
  withOtherImage,
} from './file-names.ts';

test.each([
  ['image.png', [], 'image.png'],
  ['image.png', ['IMAGE.PNG'], 'image-2.png'],
  ['image.png', ['image.png', 'image-2.png'], 'image-3.png'],
  ['README', ['readme'], 'README-2'],
  ['Ünïcode name (1).tar.gz', ['ünïcode name (1).tar.gz'], 'Ünïcode name (1).tar-2.gz'],
  ['../../etc/passwd', [], '.._.._etc_passwd'],
  ['', [], 'file'],
  [`${'ä'.repeat(200)}.png`, [], `${'ä'.repeat(125)}.png`],
  [`${'ä'.repeat(200)}.png`, [`${'ä'.repeat(125)}.png`], `${'ä'.repeat(124)}-2.png`],
])('%j next to %j is called %j', (name, taken, expected) => {
  expect(freeName(name, taken)).toBe(expected);
});

test('an image stands in the text with a size that fits', () => {
  expect(embeddedImage({ id: 'a-1', name: 'beam [1].png', width: 4000, height: 2000 })).toBe(
    '![beam  1 ](attachment/a-1){width=1000 height=500}',
  );
  expect(embeddedImage({ id: 'a-1', name: 'beam.png' })).toBe('![beam](attachment/a-1)');
});

test('an image is found in the text with its size, and no other one', () => {
  const text = 'before\n![a](attachment/a-1){width=5 height=5}\n![b](attachment/a-12)\nafter';
  expect(text.replace(embeddedPattern('a-1'), '')).toBe('before\n![b](attachment/a-12)\nafter');
});

test('a HEIC image becomes a JPEG by name', () => {
  expect(jpegName('IMG_2207.HEIC')).toBe('IMG_2207.jpg');
});

test.each([
  [15 * 1_048_576, '15 MB'],
  [1_572_864, '1.5 MB'],
  [204_800, '200 kB'],
])('a limit of %d bytes is %s', (bytes, text) => {
  expect(formatLimit(bytes)).toBe(text);
});

test('another image takes the place of one in the text, as wide as it was, with its own proportions', () => {
  const text = '![a](attachment/a-1){width=500 height=250} ![b](attachment/a-12) ![a again](attachment/a-1)';
  expect(withOtherImage(text, 'a-1', { id: 'n', width: 800, height: 800 })).toBe(
    '![a](attachment/n){width=500 height=500} ![b](attachment/a-12) ![a again](attachment/n)',
  );
  expect(withOtherImage(text, 'a-1', { id: 'n', width: 300, height: 100 })).toContain(
    '(attachment/n){width=300 height=100}',
  );
});

const picture = '![a](attachment/a-1 "Its (caption)"){width=5 height=5}\n';

test.each([
  [`before\n\n${picture}\nafter`, (text: string) => text, `before\n\n${picture}\nafter`],
  [`${picture}x ${picture}y`, (text: string) => text, `${picture}x ${picture}y`],
  [`before\n\n${picture}\nafter`, (text: string) => `${text}, and more`, `before\n\n${picture}\nafter, and more`],
  [`before\n\n${picture}\nafter`, (text: string) => `long ${text}`, `long before\n\n${picture}\nafter`],
  [`before\n\n${picture}\nafter`, () => 'other', `other\n\n${picture}`],
  ['without', (text: string) => text, 'without'],
])('what was removed from %j returns to its place', (before, change, expected) => {
  const place = embeddedPattern('a-1');
  expect(restoreRemoved(change(before.replace(place, '')), before, place)).toBe(expected);
});

test('another image keeps the caption', () => {
  expect(withOtherImage(picture, 'a-1', { id: 'n' })).toContain('(attachment/n "Its (caption)")');
});
