import { pino } from 'pino';
import { serveTask } from '../run-in-process.js';
import type { BackupTask, BackupTaskResult } from './backup-task.js';
import { runBackupTask } from './backup-task.js';

/** Program of the process that makes the scheduled backups. */
serveTask<BackupTask, BackupTaskResult>((task) => runBackupTask(task, pino({ level: 'silent' })));
