import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { lastDue, ScheduledBackup } from '../../src/app/backup/scheduled-backup.js';
import { manifestName } from '../../src/backup/manifest.js';
import { type Clock, type MonotonicClock, monotonicClock, systemClock } from '../../src/kernel/clock.js';
import { backUp, directory, embedded, forgeBackup, ownKeys, restore, verifyTarget } from '../fixtures/backups.js';
import { silentLog } from '../fixtures/log.js';
import { runCommand } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

test('a backup that was due while the service did not run is made after the start, and once', async () => {
  const root = await makeTempDir();
  const [dataDir, backupTarget] = [join(root, 'data'), join(root, 'backups')];
  await mkdir(backupTarget);
  const settings = { backupTarget, backupAt: '00:00' };
  let logbook = await TestService.start(settings, dataDir);
  const names = () => readdir(join(backupTarget, 'backups')).catch(() => []);
  await expect.poll(async () => (await logbookCheck(logbook)).ageSeconds).toBeLessThan(120);
  expect(await names()).toHaveLength(1);
  const { text } = await fetchText(`${logbook.origin}/metrics`);
  expect(text).toMatch(/^logbook_backup_age_seconds\{job="backup"\} \d/m);
  await logbook.stop({ keepData: true });
  // A crash may leave files that were not complete.
  const leftovers = ['backup-newest.json', 'backup-key.pub', 'backup-key.pem', 'attachments/store-id'].map((name) =>
    join(dataDir, `${name}.${randomUUID()}.new`),
  );
  for (const file of leftovers) await writeFile(file, 'half');
  logbook = await TestService.start(settings, dataDir);
  expect(leftovers.filter(existsSync)).toEqual([]);
  await expect.poll(async () => (await logbookCheck(logbook)).ageSeconds).toBeLessThan(240);
  expect(await names()).toHaveLength(1);
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

test('before the first backup, the state of the backups is a warning', async () => {
  const root = await makeTempDir();
  const logbook = await TestService.start({}, join(root, 'data'));
  await mkdir(join(root, 'target'));
  const backups = schedule(logbook, join(root, 'data'), join(root, 'target'));
  expect((await backups.checkHealth())[0]?.status).toBe('warning');
  await backups.job().run(new AbortController().signal);
  expect((await backups.checkHealth())[0]).toMatchObject({
    status: 'ok',
    message: 'The newest backup is 0 minutes old.',
  });
  // Another node of the cluster has taken over.
  backups.job().onRunElsewhere?.();
  expect(backups.ageSeconds).toBeUndefined();
  expect((await backups.checkHealth())[0]).toMatchObject({ status: 'ok', message: 'Another node makes the backups.' });
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

test('while backups cannot be made, /readyz is degraded and says so', async () => {
  const root = await makeTempDir();
  const settings = { backupTarget: join(root, 'not-mounted'), backupAt: '00:00' };
  const logbook = await TestService.start(settings, join(root, 'data'));
  await expect.poll(async () => (await logbookCheck(logbook)).status).toBe('warning');
  expect((await logbookCheck(logbook)).message).toContain('No backup is known');
  expect(await readdir(root)).toEqual(['data']);
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

test('with a schedule whose target is inside the data directory, the service starts, and its backups fail', async () => {
  const root = await makeTempDir();
  const dataDir = join(root, 'data');
  const settings = { backupTarget: join(dataDir, 'backups'), backupAt: '00:00' };
  const logbook = await TestService.start(settings, dataDir);
  await logbook.create();
  await mkdir(join(dataDir, 'backups'));
  const backups = schedule(logbook, dataDir, join(dataDir, 'backups'));
  await expect(backups.job().run(new AbortController().signal)).rejects.toThrow(/is inside the data directory/);
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

test('a backup that is made by hand while the schedule fails ends the warning, without another attempt', async () => {
  const root = await makeTempDir();
  const [dataDir, target] = [join(root, 'data'), join(root, 'target')];
  const logbook = await TestService.start({}, dataDir);
  const now = { elapsedMs: 0 };
  const backups = schedule(logbook, dataDir, target, { monotonic: { elapsedMs: () => now.elapsedMs } });
  const run = () => backups.job().run(new AbortController().signal);
  await expect(run()).rejects.toThrow('does not exist');
  await mkdir(target);
  now.elapsedMs += 60_000;
  // The job looks for a manual backup, and does not make another one so soon.
  await expect(run()).rejects.toThrow('does not exist');
  expect(await readdir(target)).toEqual([]);
  expect(await backups.checkHealth()).toMatchObject([{ status: 'warning' }]);
  const { code } = await runCommand(['backup', target, '--data-dir', dataDir]);
  expect(code).toBe(0);
  now.elapsedMs += 60_000;
  await run();
  expect(await backups.checkHealth()).toMatchObject([{ status: 'ok' }]);
  expect(backups.ageSeconds).toBeLessThan(600);
  expect(await readdir(join(target, 'backups'))).toHaveLength(1);
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

test('a process that cannot be started is a failed backup, which is repeated after ten minutes', async () => {
  const root = await makeTempDir();
  const [dataDir, target] = [join(root, 'data'), join(root, 'target')];
  await mkdir(target);
  const logbook = await TestService.start({}, dataDir);
  const now = { elapsedMs: 0 };
  const backups = schedule(logbook, dataDir, target, { monotonic: { elapsedMs: () => now.elapsedMs } });
  const run = () => backups.job().run(new AbortController().signal);
  const { execPath } = process;
  // The system refuses a missing program in the same way as a process too many.
  process.execPath = join(root, 'missing');
  await expect(run()).rejects.toThrow(/^The process cannot be used \(spawn .* ENOENT\)\. Correct that/);
  process.execPath = execPath;
  expect(await backups.checkHealth()).toMatchObject([
    { status: 'warning', message: expect.stringContaining('No backup is known') },
  ]);
  now.elapsedMs += 60_000;
  await expect(run()).rejects.toThrow(/^The process cannot be used/);
  expect(await readdir(target)).toEqual([]);
  now.elapsedMs += 540_000;
  await run();
  expect(await backups.checkHealth()).toMatchObject([{ status: 'ok' }]);
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

test('a backup from a time when the clock was ahead does not stop the schedule, and is not restored in place of newer ones', async () => {
  const root = await makeTempDir();
  const [dataDir, target] = [join(root, 'data'), join(root, 'target')];
  const logbook = await TestService.start({}, dataDir);
  await logbook.create();
  const years = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 4_000 * 86_400_000);
  await backUp(embedded(dataDir), directory(target));
  years.mockRestore();
  const { id } = await logbook.create();
  const backups = schedule(logbook, dataDir, target);
  await backups.job().run(new AbortController().signal);
  expect(await readdir(join(target, 'backups'))).toHaveLength(2);
  expect(backups.ageSeconds).toBeLessThan(600);
  const restored = await restore(embedded(join(root, 'restored')), directory(target));
  expect(restored.manifest.header.highestEntryId).toBe(id);
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

test('a newer unsigned backup hides neither that a backup is due nor the age of the newest signed one', async () => {
  const root = await makeTempDir();
  const [dataDir, target] = [join(root, 'data'), join(root, 'target')];
  const logbook = await TestService.start({}, dataDir);
  const { manifest } = await backUp(embedded(dataDir), directory(target));
  const { name } = manifest.header;
  await forgeBackup(target, name, { name: `${name}-2`, signature: 'none', header: { takenMs: Date.now() } });
  await rm(join(target, 'backups', `${name}.manifest`));
  const backups = schedule(logbook, dataDir, target);
  await backups.job().run(new AbortController().signal);
  const names = await readdir(join(target, 'backups'));
  expect(names).toContain(`${name}-2.manifest`);
  expect(names).toHaveLength(2);
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

test('a backup that someone removes from the target is missed until the next one', async () => {
  const root = await makeTempDir();
  const [dataDir, place] = [join(root, 'data'), join(root, 'place')];
  const logbook = await TestService.start({}, dataDir);
  const { name: first } = (await backUp(embedded(dataDir), directory(place))).manifest.header;
  const { name: removed } = (await backUp(embedded(dataDir), directory(place))).manifest.header;
  expect(await verifyTarget(directory(place), dataDir)).toEqual([]);
  const manifestFile = join(place, 'backups', `${removed}.manifest`);
  const manifest = await readFile(manifestFile);
  await rm(manifestFile);
  const missing = new RegExp(
    `the backup ${removed}, made at .*, is missing in .*, or its signature is wrong: the newest backup there is from`,
  );
  expect((await verifyTarget(directory(place), dataDir)).join('\n')).toMatch(missing);
  const doctor = await runCommand(['doctor', '--data-dir', dataDir, '--backup-target', place]);
  expect(doctor.output).toMatch(missing);
  const now = { elapsedMs: 0 };
  const backups = schedule(logbook, dataDir, place, { monotonic: { elapsedMs: () => now.elapsedMs } });
  const run = () => backups.job().run(new AbortController().signal);
  const isMissing = [
    { status: 'warning', message: expect.stringContaining('A backup that was made is missing in the target.') },
  ];
  await run();
  expect(await backups.checkHealth()).toMatchObject(isMissing);
  // The operator returns it, which is noticed in the next ten minutes.
  await writeFile(manifestFile, manifest);
  now.elapsedMs += 540_000;
  await run();
  expect(await backups.checkHealth()).toMatchObject(isMissing);
  now.elapsedMs += 60_000;
  await run();
  expect(await backups.checkHealth()).toMatchObject([{ status: 'ok' }]);
  expect(await verifyTarget(directory(place), dataDir)).toEqual([]);
  await rm(manifestFile);
  // A backup that retention or an administrator removes after a newer one was made is not missed, and neither are those
  // of another target.
  await backUp(embedded(dataDir), directory(place));
  await rm(join(place, 'backups', `${first}.manifest`));
  await backUp(embedded(dataDir), directory(`${place}-2`));
  await rm(place, { recursive: true });
  await rename(`${place}-2`, place);
  await run();
  expect(await verifyTarget(directory(place), dataDir)).toEqual([]);
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

test('a backup of a node whose clock is behind does not make the backup of another node look lost', async () => {
  const root = await makeTempDir();
  const [dataDir, place] = [join(root, 'data'), join(root, 'place')];
  const logbook = await TestService.start({}, dataDir);
  const first = await backUp(embedded(dataDir), directory(place));
  const { name } = (await backUp(embedded(dataDir), directory(place))).manifest.header;
  const newest = await readFile(join(dataDir, 'backup-newest.json'), 'utf8');
  const behind = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 240_000);
  await backUp(embedded(dataDir), directory(place));
  behind.mockRestore();
  // The other node made the one before.
  await writeFile(join(dataDir, 'backup-newest.json'), newest);
  expect(await verifyTarget(directory(place), dataDir)).toEqual([]);
  for (const file of await readdir(join(place, 'backups'))) {
    if (file !== manifestName(first.manifest.header.name)) await rm(join(place, 'backups', file));
  }
  expect((await verifyTarget(directory(place), dataDir)).join()).toContain(`the backup ${name}, made at`);
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

test('a backup is made five minutes after the last redaction, so that a restore of an earlier one applies it', async () => {
  const root = await makeTempDir();
  const [dataDir, target] = [join(root, 'data'), join(root, 'target')];
  const logbook = await TestService.start({}, dataDir);
  const { id } = await logbook.create({ title: 'swordfish' });
  const { manifest } = await backUp(embedded(dataDir), directory(target));
  let aheadMs = 0;
  const backups = schedule(logbook, dataDir, target, { clock: { nowMs: () => Date.now() + aheadMs } });
  const names = async () => {
    await backups.job().run(new AbortController().signal);
    return readdir(join(target, 'backups'));
  };
  const json = { reason: 'why', title: true };
  const answer = await logbook.call(`/logs/${id}/redaction`, { method: 'POST', json, as: 'admin:adminPass' });
  expect(answer.status, answer.text).toBe(200);
  expect(await names()).toHaveLength(1);
  aheadMs = 301_000;
  expect(await names()).toHaveLength(2);
  const restored = await restore(embedded(join(root, 'restored')), directory(target), { backup: manifest.header.name });
  expect(restored.redactions).toBe(1);
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

test('a backup is due at its time of day in the zone, also when the clocks change', () => {
  const schedule = { atMinutes: 150, zone: 'Europe/Berlin' };
  const at = (text: string) => new Date(lastDue(schedule, Date.parse(text))).toISOString();
  expect(at('2026-01-10T01:29:59Z')).toBe('2026-01-09T01:30:00.000Z');
  expect(at('2026-01-10T01:30:00Z')).toBe('2026-01-10T01:30:00.000Z');
  expect(at('2026-07-10T12:00:00Z')).toBe('2026-07-10T00:30:00.000Z');
  // 02:30 does not exist on this day.
  expect(at('2026-03-29T12:00:00Z')).toBe('2026-03-29T01:30:00.000Z');
});

function schedule(
  logbook: TestService,
  dataDir: string,
  target: string,
  clocks: { readonly clock?: Clock; readonly monotonic?: MonotonicClock } = {},
): ScheduledBackup {
  const { redactions } = logbook.service.storage.committed;
  return new ScheduledBackup(
    {
      ...{ storage: embedded(dataDir), target: directory(target), keys: ownKeys, retention: undefined },
      ...{ bytesPerSecond: undefined, mayCreate: false },
    },
    { atMinutes: 0, zone: 'UTC' },
    { log: silentLog, clock: systemClock, monotonic: monotonicClock, ...clocks, redactions },
  );
}

async function logbookCheck(logbook: TestService) {
  const { text } = await fetchText(`${logbook.origin}/readyz`);
  return (JSON.parse(text) as { checks: { backup: { status: string; message: string; ageSeconds?: number } } }).checks
    .backup;
}

async function fetchText(url: string) {
  const response = await fetch(url);
  return { text: await response.text() };
}
