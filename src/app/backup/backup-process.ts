import { pino } from 'pino';
import { endWithParent } from '../../kernel/end-with-parent.js';
import type { BackupTask, BackupTaskResult } from './backup-task.js';
import { runBackupTask } from './backup-task.js';

/** The program of the process that makes the scheduled backups. Its argument is the id of the process that started it. */
endWithParent(Number(process.argv[2]));
process.umask(0o077);
process.once('message', (task) => void run(task as BackupTask));

async function run(task: BackupTask): Promise<void> {
  const result: BackupTaskResult = await runBackupTask(task, pino({ level: 'silent' })).catch((error: unknown) => ({
    kind: 'failed',
    reason: error instanceof Error ? error.message : String(error),
  }));
  process.send?.(result, () => process.disconnect());
}
