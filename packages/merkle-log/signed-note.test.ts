import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeCheckpoint, parseCheckpoint } from './checkpoint.js';
import { isNoteSigned, signNote, textOfNote } from './signed-note.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const root = 'ab'.repeat(32);

test('a checkpoint of any log is read as it was written, from the text that was signed', () => {
  const line = fc.stringMatching(/^[^\n]{1,40}$/);
  fc.assert(
    fc.property(line, fc.nat(), fc.array(line, { maxLength: 3 }), (origin, size, extensions) => {
      const checkpoint = { origin, size, root, extensions };
      const note = signNote(encodeCheckpoint(checkpoint), 'log', privateKey);
      expect(isNoteSigned(note, 'log', publicKey)).toBe(true);
      expect(parseCheckpoint(textOfNote(note) ?? '')).toEqual(checkpoint);
    }),
    { numRuns: 200 },
  );
});

test('a note that was changed, is of another signer, or of another key is not signed', () => {
  const text = encodeCheckpoint({ origin: 'log', size: 12, root, extensions: [] });
  const note = signNote(text, 'log', privateKey);
  const isSigned = (one: string, name = 'log', key = publicKey) => isNoteSigned(one, name, key);
  expect(isSigned(note)).toBe(true);
  expect(isSigned(note.replace('\n12\n', '\n13\n'))).toBe(false);
  expect(isSigned(note, 'other')).toBe(false);
  expect(isSigned(note, 'log', generateKeyPairSync('ed25519').publicKey)).toBe(false);
  expect(isSigned(text)).toBe(false);
});

test.each([
  '',
  'log\n12\n',
  `log\n-1\n${btoa('x')}\n`,
  `log\n12\n${'A'.repeat(43)}=`,
  `log\n1e3\n${'A'.repeat(43)}=\n`,
])('any other text is not parsed as a checkpoint: %j', (text) => {
  expect(parseCheckpoint(text)).toBeUndefined();
});
