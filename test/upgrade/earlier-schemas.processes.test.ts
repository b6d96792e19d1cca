import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newestSchema } from '../../src/engines/sqlite/database/schema-version.js';
import { expectUpgraded } from '../fixtures/expect-upgraded.js';
import { fixturesDir, listFixtures, readFixture, unpackFiles } from '../fixtures/schema-fixture.js';
import { makeTempDir } from '../fixtures/service.js';

let dir: string;
beforeEach(async () => {
  dir = await makeTempDir();
});
afterEach(() => rm(dir, { recursive: true }));

const fixtures = await listFixtures('sqlite');

test('the first schema has a fixture', () => expect(fixtures).toContain('sqlite-11'));

test.each(fixtures)(
  'nothing that %s has stored is lost or changed, and everything continues from where it was',
  async (name) => {
    const dataDir = join(dir, 'data');
    await unpackFiles(join(fixturesDir, name, 'data'), dataDir);
    await expectUpgraded(await readFixture(name), dataDir);
    const schema = Number(name.slice('sqlite-'.length));
    const copies = (await readdir(dataDir)).filter((file) => file.includes('-schema-'));
    expect(copies).toEqual(schema < newestSchema ? [`logbook-schema-${schema}.sqlite`] : []);
  },
);
