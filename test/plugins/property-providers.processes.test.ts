import fc from 'fast-check';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { isGroupName } from '../../src/entries/entry.js';
import { checkParts } from '../../src/entries/entry-draft.js';
import type { NewEntry } from '../../src/entries/entry-extensions.port.js';
import { PropertyProviders } from '../../src/plugins/property-providers.js';
import { Site } from './site.js';

const sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.remove();
});

async function makeSite(files: Readonly<Record<string, string>>): Promise<Site> {
  const site = await Site.make(files);
  sites.push(site);
  return site;
}

const provider = (body: string) => `export default { async propertyProvider(entry, signal) { ${body} } };`;
const propertiesOf = (entry: {
  readonly properties: readonly { name: string; attributes: readonly { name: string; value: string | null }[] }[];
}) =>
  entry.properties.map(({ name, attributes }) => ({
    name,
    ...Object.fromEntries(attributes.map((attribute) => [attribute.name, attribute.value])),
  }));

test('provided properties are stored with a new entry and found by the search, whether or not they are in the catalogue', async () => {
  const site = await makeSite({
    'shift.mjs': provider(`return [{ name: 'Shift', attributes: [{ name: 'leader', value: 'Jane' }] }]`),
    'beam.mjs': provider(`return [{ name: 'resource', attributes: [{ name: 'file', value: 'b.h5' }] }]`),
  });
  const logbook = await site.start('plugins = shift.mjs, ./beam.mjs');
  const entry = await logbook.create();
  expect(propertiesOf(entry)).toEqual([
    { name: 'Shift', leader: 'Jane' },
    { name: 'resource', file: 'b.h5' },
  ]);
  expect(entry.properties.map(({ owner }) => owner)).toEqual(['', 'admin']);
  expect((await logbook.get(`/logs/${entry.id}`)).body).toEqual(entry);
  expect((await logbook.search('properties=shift.leader.jane')).ids).toEqual([entry.id]);
});

test('a property of the author takes precedence, ignoring case; of two plug-ins, the first', async () => {
  const site = await makeSite({
    'first.mjs': provider(
      `return ['Shift', 'Beam'].map((name) => ({ name, attributes: [{ name: 'by', value: 'first' }] }))`,
    ),
    'second.mjs': provider(
      `return ['Beam', 'Hall'].map((name) => ({ name, attributes: [{ name: 'by', value: 'second' }] }))`,
    ),
  });
  const logbook = await site.start('plugins = first.mjs, second.mjs');
  const own = { name: ' shift', attributes: [{ name: 'by', value: 'author' }] };
  expect(propertiesOf(await logbook.create({ properties: [own] }))).toEqual([
    { name: ' shift', by: 'author' },
    { name: 'Beam', by: 'first' },
    { name: 'Hall', by: 'second' },
  ]);
});

test('a plug-in receives its own copy of what the author sent, with the plain text; edits and groups do not call it', async () => {
  const site = await makeSite({
    'spoil.mjs': provider(`entry.title = 'spoiled'; entry.logbooks.length = 0; return [];`),
    'echo.mjs': provider(`return [{ name: 'Seen', attributes: [{ name: 'json', value: JSON.stringify(entry) }] }]`),
  });
  const logbook = await site.start('plugins = spoil.mjs, echo.mjs');
  const events = [{ name: 'trip', instant: 5 }];
  const parent = await logbook.create();
  const entry = await logbook.create(
    { title: 'A trip', description: '**down**', tags: [{ name: 'alarm' }], events },
    `?inReplyTo=${parent.id}`,
  );
  const [seen] = propertiesOf(entry) as unknown as { json: string }[];
  expect(JSON.parse(seen?.json ?? '')).toEqual({
    owner: 'user',
    title: 'A trip',
    source: '**down**',
    description: 'down',
    logbooks: [{ name: 'operations' }],
    tags: [{ name: 'alarm' }],
    properties: [],
    events,
    inReplyTo: parent.id,
  });
  expect(entry.title).toBe('A trip');
  const edited = await logbook.post(`/logs/${entry.id}`, { title: 'Edited', logbooks: [{ name: 'operations' }] });
  expect(propertiesOf(edited.body).map(({ name }) => name)).toEqual(['Log Entry Group']);
});

const failures: readonly (readonly [string, string])[] = [
  ['throws immediately', `export default { propertyProvider() { throw new Error('boom'); } };`],
  ['rejects', provider(`throw new Error('boom')`)],
  ['rejects with nothing', `export default { propertyProvider: () => Promise.reject() };`],
  ['returns nothing', provider('')],
  ['returns something else', provider(`return { name: 'x' }`)],
  ['returns an array of something else', provider('return [7]')],
  ['returns a blank name', provider(`return [{ name: ' ', attributes: [] }]`)],
  [
    'returns attributes that are not strings',
    provider(`return [{ name: 'x', attributes: [{ name: 'a', value: 7 }] }]`),
  ],
  [
    'provides the group property',
    provider(`return [{ name: 'log entry GROUP', attributes: [{ name: 'id', value: '1' }] }]`),
  ],
  ['returns a name that is too long', provider(`return [{ name: 'x'.repeat(256) }]`)],
  [
    'returns a value that is too long',
    provider(`return [{ name: 'x', attributes: [{ name: 'a', value: 'x'.repeat(100_001) }] }]`),
  ],
  ['returns too many properties', provider(`return Array.from({ length: 501 }, (_, i) => ({ name: 'x' + i }))`)],
  [
    'exceeds the size limit of an entry',
    provider(
      `return [{ name: 'x', attributes: Array.from({ length: 30 }, (_, i) => ({ name: 'a' + i, value: 'y'.repeat(40_000) })) }]`,
    ),
  ],
];

test.each(failures)('a plug-in that %s costs the entry only its own properties, and is logged', async (_what, bad) => {
  const site = await makeSite({ 'bad.mjs': bad, 'good.mjs': provider(`return [{ name: 'Good' }]`) });
  const logbook = await site.start('plugins = bad.mjs, good.mjs');
  expect(propertiesOf(await logbook.create())).toEqual([{ name: 'Good' }]);
  expect(site.warnings('bad')).toHaveLength(1);
});

test('plug-ins that time out are left out, receive an abort, and are named in one log line', async () => {
  const site = await makeSite({
    'never.mjs': `export default ({ log }) => ({
      propertyProvider: (entry, signal) => new Promise(() => signal.addEventListener('abort', () => log.info(signal.reason.name))),
    });`,
    'late.mjs': provider(
      `await new Promise((resolve) => signal.addEventListener('abort', resolve)); throw new Error('late')`,
    ),
    'good.mjs': provider(`return [{ name: 'Good' }]`),
  });
  const logbook = await site.start('plugins = never.mjs, late.mjs, good.mjs');
  expect(propertiesOf(await logbook.create())).toEqual([{ name: 'Good' }]);
  expect(site.log.filter(({ plugin, msg }) => plugin === 'never' && msg === 'TimeoutError')).toHaveLength(1);
  expect(site.log.filter(({ level, plugins }) => level === 40 && plugins)).toMatchObject([
    { plugins: ['never', 'late'] },
  ]);
});

test('a plug-in that never settles is not called while a hundred calls are pending', async () => {
  let calls = 0;
  const never = {
    propertyProvider: () => {
      calls += 1;
      return new Promise<never>(() => undefined);
    },
  };
  const providers = new PropertyProviders(
    [{ name: 'never', url: 'file:///never.mjs', plugin: never }],
    pino({ level: 'silent' }),
    1_000,
  );
  await Promise.all(Array.from({ length: 150 }, () => providers.provideProperties(draft)));
  expect(calls).toBe(100);
});

const draft: NewEntry = {
  owner: 'user',
  title: 'title',
  source: '',
  description: '',
  level: undefined,
  logbooks: [{ name: 'operations' }],
  tags: [],
  properties: [{ name: 'own', attributes: [] }],
  events: [],
  inReplyTo: undefined,
};

test('whatever plug-ins return, the entry stays valid', async () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('own', ' OWN', 'Log Entry Group', ''));
  const attribute = fc.oneof(fc.anything(), fc.record({ name: text, value: text }));
  const property = fc.record({
    name: fc.oneof(text, fc.anything()),
    attributes: fc.oneof(fc.array(attribute), fc.anything()),
  });
  const result = fc.oneof(fc.anything(), fc.array(fc.oneof(property, fc.anything())));
  await fc.assert(
    fc.asyncProperty(fc.array(result, { maxLength: 4 }), async (results) => {
      const plugins = results.map((given, index) => ({
        name: `p${index}`,
        url: `file:///p${index}.mjs`,
        plugin: { propertyProvider: async () => given as never },
      }));
      const maxBytes = 200;
      const provided = await new PropertyProviders(plugins, pino({ level: 'silent' }), maxBytes).provideProperties(
        draft,
      );
      const all = [...draft.properties, ...provided];
      checkParts({ ...draft, logbooks: [], tags: [], properties: all });
      expect(new Set(all.map(({ name }) => name.trim().toLowerCase())).size).toBe(all.length);
      expect(all.some(({ name }) => isGroupName(name))).toBe(false);
      expect(provided.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0)).toBeLessThanOrEqual(
        maxBytes,
      );
    }),
    { numRuns: 500 },
  );
});
