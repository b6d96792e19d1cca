import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pruneTarget } from '../../src/app/backup/prune-target.js';
import { backUp, directory, embedded, verifyTarget } from '../fixtures/backups.js';
import { silentLog } from '../fixtures/log.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { SmallDisk } from './small-disk.js';

test.skipIf(!SmallDisk.isPossible())(
  'old backups are removed from a disk without a free byte (needs root)',
  async () => {
    const disk = SmallDisk.mount(8_388_608, 65_536);
    const dataDir = await makeTempDir();
    const logbook = await TestService.start({}, dataDir);
    const target = directory(disk.dataDir);
    const signal = new AbortController().signal;
    const { signer, manifest } = await backUp(embedded(dataDir), target);
    const backups = [manifest.header.name];
    for (let number = 0; number < 2; number += 1) {
      await logbook.create();
      backups.push((await backUp(embedded(dataDir), target)).manifest.header.name);
    }
    disk.fillUp();
    await expect(backUp(embedded(dataDir), target)).rejects.toThrow('ENOSPC');
    const retention = { newest: 1, daily: 0, weekly: 0, monthly: 0 };
    const pruned = await pruneTarget({
      target,
      retention,
      trust: { keys: signer.keys, acceptUnsigned: false },
      dataDir,
      log: silentLog,
      signal,
    });
    expect(pruned).toMatchObject({ backups: backups.slice(0, 2), kept: 1 });
    expect(await verifyTarget(target, dataDir)).toEqual([]);
    expect(await readdir(join(disk.dataDir, 'unfinished'))).toEqual([]);
    await logbook.stop();
    await rm(dataDir, { recursive: true, force: true });
    disk.unmount();
  },
);

test.skipIf(!SmallDisk.isPossible())(
  'commands on the full disk of a stopped service report the full disk, and no damaged data (needs root)',
  async () => {
    const disk = SmallDisk.mount(8_388_608, 65_536);
    const logbook = await LogbookProcess.start(disk.dataDir);
    const target = await makeTempDir();
    disk.fillUp();
    // Nothing has to be written there while the service runs.
    const commands = [['backup', target], ['verify']].map((words) => [...words, '--data-dir', disk.dataDir]);
    for (const command of commands) expect(await runCommand(command)).toMatchObject({ code: 0 });
    await logbook.stop();
    disk.fillUp();
    for (const command of commands) {
      const { code, output, errors } = await runCommand(command);
      expect(errors).toContain('The disk of the logbook is full');
      expect([code, output]).toEqual([command[0] === 'verify' ? 2 : 1, '']);
    }
    await rm(target, { recursive: true, force: true });
    disk.unmount();
  },
);
