import i18next from 'i18next';
import { beforeAll, expect, test } from 'vitest';
import { serverMessage } from './server-message.ts';

beforeAll(async () => {
  const faults = {
    entry: { 'no-logbook': 'Kein Logbuch.', 'unknown-tag': 'Kein Schlagwort „{{0}}“.' },
    auth: { 'logbook-closed': '{{0}} darf nicht in {{1}}.' },
    attachment: { 'too-large': 'Größer als {{limit}}.' },
    internal: 'Versagt.',
  };
  await i18next.init({ lng: 'de', resources: { de: { faults } } });
});

test.each([
  ['entry.no-logbook', 'The entry has no logbook.', 'Kein Logbuch.'],
  ['entry.unknown-tag', 'The tag “a {{b}} $1” was not found.', 'Kein Schlagwort „a {{b}} $1“.'],
  ['auth.logbook-closed', '“sam” may not write to the logbook “RF”.', 'sam darf nicht in RF.'],
  ['attachment.too-large', 'Too large. The limit is 1.5 MB for each file (setting maxFileSize).', 'Größer als 1.5 MB.'],
  ['internal', 'The service failed.', 'Versagt.'],
])('%s is shown in the language, with what the server names', (code, english, expected) => {
  expect(serverMessage(code, english)).toBe(expected);
});

test.each([
  ['entry.unknown-tag', 'The tag was not found.'],
  ['attachment.too-large', 'Too large.'],
  ['entry.new', 'Something new.'],
  ['entry', 'A word that is the beginning of others.'],
  ['unknown', '502 Bad Gateway'],
])('%s stays in English if it has no translation, or lacks values of its translation', (code, english) => {
  expect(serverMessage(code, english)).toBe(english);
});
