import { resolve } from 'node:path';
import type { Retention } from '../backup/retention-options.js';
import type { BackupTargetOptions } from '../engines/backup-options.js';
import { type blobSettings, parseBucket, parsePrefix, toS3Options } from './blob-settings.js';
import { count, file, optional, parseSize } from './setting-types.js';

/** A backup target as written in the setting. A bucket is reached through the settings of object storage. */
type TargetText =
  | { readonly kind: 'directory'; readonly dir: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

export const backupSettings = {
  backupTarget: optional(
    'DIR|s3://…',
    'Where backups are stored: a directory on another disk, or s3://BUCKET/PREFIX with the settings of object storage.',
    parseTarget,
  ),
  backupAt: optional(
    'HH:MM',
    'Time of day, in timeZone, at which the service makes a backup. Empty: only the command “backup” makes them.',
    parseTimeOfDay,
  ),
  backupKeepDaily: count(
    '7',
    'Number of daily backups to keep: the newest of each of the last days with a backup. The newest three always stay.',
  ),
  backupKeepWeekly: count('5', 'Number of weekly backups to keep, likewise.'),
  backupKeepMonthly: count('12', 'Number of monthly backups to keep, likewise.'),
  backupSigningKey: file(
    'Private key that signs backups, in PEM, from “logbook signing-key”. Empty: the service creates one.',
  ),
  backupPublicKey: file(
    'Public keys, in PEM; “restore” and “verify” trust the backups that they signed. Empty: the keys of backupSigningKey and of backup-key.pub in the data directory.',
  ),
  backupBytesPerSecond: optional(
    'SIZE',
    'Maximum amount that a backup reads and sends per second, such as 20MB. Empty: no limit.',
    parseRate,
  ),
} as const;

type Settings = typeof backupSettings & typeof blobSettings;
type Values = { readonly [K in keyof Settings]: ReturnType<Settings[K]['parse']> };

/** Number of the newest backups that are kept regardless of their age. */
const keptNewest = 3;

export function toRetention({ backupKeepDaily, backupKeepWeekly, backupKeepMonthly }: Values): Retention {
  return { newest: keptNewest, daily: backupKeepDaily, weekly: backupKeepWeekly, monthly: backupKeepMonthly };
}

export function toBackupTarget(values: Values): BackupTargetOptions | undefined {
  const { backupTarget: target } = values;
  if (target?.kind !== 's3') return target;
  return { kind: 's3', s3: { ...toS3Options(values), bucket: target.bucket, prefix: target.prefix } };
}

/**
 * Finds problems in the combination of these settings.
 * @param isSet whether the setting was given
 */
export function checkBackupSettings(
  { backupTarget, backupAt, blobs, s3Bucket, s3Prefix }: Partial<Values>,
  isSet: (name: 's3Endpoints' | 's3AccessKey') => boolean,
): string[] {
  if (backupAt && !backupTarget) return ['backupAt has no effect without backupTarget: set both or neither'];
  if (backupTarget?.kind !== 's3') return [];
  const problems = (['s3Endpoints', 's3AccessKey'] as const)
    .filter((name) => blobs !== 's3' && !isSet(name))
    .map((name) => `a backupTarget on object storage needs ${name}: set it`);
  const isFileStore = blobs === 's3' && backupTarget.bucket === s3Bucket && backupTarget.prefix === s3Prefix;
  if (isFileStore)
    problems.push('backupTarget is where the files themselves are stored: choose another bucket or prefix');
  return problems;
}

function parseTarget(value: string): TargetText {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(value) ?? [];
  if (bucket !== undefined) return { kind: 's3', bucket: parseBucket(bucket), prefix: parsePrefix(prefix) };
  if (/^[a-z0-9]+:\/\//i.test(value)) throw new Error('it must be a directory, or look like s3://BUCKET/PREFIX');
  return { kind: 'directory', dir: resolve(value) };
}

/** Minimum rate. A lower one would keep the snapshot of the documents open for too long. */
const minBytesPerSecond = 65_536;

function parseRate(value: string): number {
  const bytes = parseSize(value);
  if (bytes < minBytesPerSecond) throw new Error('it must be at least 64kB');
  return bytes;
}

/** Parses a time of day. Returns the minutes since midnight. */
function parseTimeOfDay(value: string): number {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(value) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59) {
    throw new Error('it must be a time of day such as 02:30');
  }
  return Number(hour) * 60 + Number(minute);
}
