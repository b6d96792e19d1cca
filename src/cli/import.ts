import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { pino } from 'pino';
import { type ImportCounts, type ImportResult, importEntries } from '../app/import-entries.js';
import { keepOwner } from '../app/keep-owner.js';
import { describeImport, type ImportOrigin } from '../app/open-import-source.js';
import { readCaFile } from '../config/file-path.js';
import type { LoadedConfig } from '../config/load-config.js';
import { parseSize } from '../config/setting-types.js';
import { ConfigurationError } from '../kernel/configuration-error.js';
import { describeFileError } from '../kernel/file-error.js';
import { counted } from '../kernel/text.js';
import { commandDestination } from './command-log.js';
import { ProgressLine } from './progress-line.js';
import { UsageError } from './usage-error.js';

/** Flags as parsed from the command line: strings or booleans. */
export interface ImportFlags {
  readonly sourceUser?: string;
  readonly sourcePasswordFile?: string;
  readonly sourceTokenFile?: string;
  readonly sourceTokenHeader: string;
  readonly sourceCaFile?: string;
  readonly clientInfoHeader: string;
  readonly requestsPerSecond: string;
  readonly sourceTimeout: string;
  readonly largestFile: string;
  readonly sample: string;
  readonly reconcile: boolean;
  readonly report?: string;
  readonly logbook?: string;
  readonly mapping?: string;
  readonly dryRun?: boolean;
}

const shownProblems = 20;

/** Imports the entries of a source, and prints a report. Sets exit code 2 if there are problems or differences. */
export async function importCommand(
  { options, logLevel }: LoadedConfig,
  from: string,
  flags: ImportFlags,
  stop: AbortSignal,
): Promise<void> {
  const level = logLevel === 'info' ? 'warn' : logLevel;
  const log = pino({ level, base: null }, commandDestination());
  const origin = readOrigin(from, flags);
  if (flags.dryRun) {
    await printDescription(origin, stop);
    return;
  }
  const request = {
    origin,
    maxFileBytes: parseBytes(flags.largestFile),
    controlSystem: options.controlSystem,
    sampleSize: flags.reconcile ? parseSample(flags.sample) : undefined,
  };
  const line = new ProgressLine();
  try {
    const { dataDir } = options.storage;
    const result = await keepOwner({ ownedBy: [dataDir], written: [dataDir] }, () =>
      importEntries(options.storage, request, { progress: toProgress(line), log, signal: stop }),
    );
    line.end();
    if (flags.report !== undefined) await writeFile(flags.report, toReport(result), { mode: 0o600 });
    for (const text of describe(result)) console.log(text);
    const { report, reconciliation } = result;
    if (report.problemCount > 0 || reconciliation?.isEqual === false) process.exitCode = 2;
  } catch (error) {
    line.end();
    if (!stop.aborted || error !== stop.reason) throw error;
    process.exitCode = 1;
    console.error('The import was stopped. Everything stored so far is kept. Run the same command again to continue.');
  }
}

async function printDescription(origin: ImportOrigin, stop: AbortSignal): Promise<void> {
  const lines = await describeImport(origin, stop);
  if (!lines)
    throw new UsageError('--dry-run only shows how the attributes of an ELOG are mapped; the source is not an ELOG');
  for (const line of lines) console.log(line);
  console.log('Nothing was imported.');
}

function readOrigin(from: string, flags: ImportFlags): ImportOrigin {
  if (!/^https?:\/\//.test(from)) return readFileOrigin(from, flags);
  const url = URL.canParse(from) ? new URL(from) : undefined;
  if (!url) throw new UsageError(`${from} is not an address`);
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('the address contains a user or a password; use --source-user and --source-password-file');
  }
  return {
    kind: 'service',
    address: {
      url,
      headers: { [flags.clientInfoHeader]: 'logbook import', ...readAuthorization(flags) },
      caCertificates: flags.sourceCaFile === undefined ? undefined : readAuthorities(flags.sourceCaFile),
      requestsPerSecond: parseNumber('--requests-per-second', flags.requestsPerSecond, 0.01),
      timeoutMs: parseNumber('--source-timeout', flags.sourceTimeout, 1) * 1_000,
    },
  };
}

function readFileOrigin(from: string, { mapping, logbook }: ImportFlags): ImportOrigin {
  const found = statSync(from, { throwIfNoEntry: false });
  if (found?.isFile()) return { kind: 'file', file: from, logbook };
  if (found?.isDirectory()) return { kind: 'elog', dir: from, mappingFile: mapping };
  throw new UsageError(
    `${from} is neither a file, nor a directory, nor the address of a service, with http:// or https:// and its root path`,
  );
}

/** Secrets come from files or the environment, because other users of the machine see the arguments of a process. */
function readAuthorization(flags: ImportFlags): Record<string, string> {
  const { LOGBOOK_SOURCE_PASSWORD, LOGBOOK_SOURCE_TOKEN } = process.env;
  const token =
    flags.sourceTokenFile === undefined
      ? LOGBOOK_SOURCE_TOKEN
      : readText('--source-token-file', flags.sourceTokenFile).trim();
  if (token !== undefined && token !== '') {
    const name = flags.sourceTokenHeader;
    return { [name]: name.toLowerCase() === 'authorization' ? `Bearer ${token}` : token };
  }
  if (flags.sourceUser === undefined) return {};
  const password =
    flags.sourcePasswordFile === undefined
      ? LOGBOOK_SOURCE_PASSWORD
      : readText('--source-password-file', flags.sourcePasswordFile).replace(/\r?\n$/, '');
  if (password === undefined) {
    throw new UsageError('--source-user needs --source-password-file, or LOGBOOK_SOURCE_PASSWORD in the environment');
  }
  return { authorization: `Basic ${Buffer.from(`${flags.sourceUser}:${password}`).toString('base64')}` };
}

function readText(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`${flag}: ${describeFileError(error) ?? (error as Error).message}`);
  }
}

function readAuthorities(file: string): string {
  try {
    return readCaFile(file);
  } catch (error) {
    throw new ConfigurationError(`--source-ca-file is “${file}”; ${(error as Error).message}`);
  }
}

function parseNumber(flag: string, text: string, min: number): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < min) {
    throw new UsageError(`${flag}: ${text} is not a number of at least ${min}`);
  }
  return value;
}

function parseSample(text: string): number {
  return text === 'all' ? Number.POSITIVE_INFINITY : parseNumber('--sample', text, 0);
}

function parseBytes(text: string): number {
  try {
    return parseSize(text);
  } catch (error) {
    throw new UsageError(`--largest-file: ${(error as Error).message}`);
  }
}

function toProgress(line: ProgressLine) {
  let phase = '';
  const show = (name: string, text: string, share?: number) => {
    if (phase !== name) line.end();
    phase = name;
    line.show(text, share);
  };
  const startedMs = performance.now();
  return {
    onImport: (counts: Readonly<ImportCounts>) => {
      const perSecond = Math.round((counts.entries * 1_000) / (performance.now() - startedMs));
      show('import', `${describeCounts(counts)}, ${perSecond}/s`);
    },
    onIndex: (indexed: number, all: number) =>
      show('index', `${indexed} of ${counted(all, 'write')} in the search index`, all === 0 ? 1 : indexed / all),
    onReconcile: (compared: number) => show('reconcile', `${counted(compared, 'entry')} compared`),
  };
}

function describeCounts({
  entries,
  created,
  updated,
  unchanged,
  refused,
  files,
  bytes,
}: Readonly<ImportCounts>): string {
  const refusals = refused === 0 ? '' : `, ${refused} refused`;
  return `${counted(entries, 'entry')}: ${created} new, ${updated} changed, ${unchanged} as before${refusals}; ${counted(files, 'file')} (${Math.round(bytes / 1_048_576)} MB)`;
}

function toReport({ source, report, reconciliation }: ImportResult): string {
  const { counts, problems, problemCount, remarks, remarkCount, skipped, skippedCount, hidden, hiddenCount } = report;
  const lists = { problemCount, problems, hiddenCount, hidden, remarkCount, remarks, skippedCount, skipped };
  return `${JSON.stringify({ source, counts, ...lists, reconciliation }, null, 2)}\n`;
}

const describeRemark = ({ kind, key, text }: ImportResult['report']['problems'][number]) =>
  `  ${key === '' ? kind : `${kind} ${key}`}: ${text}`;

function describe({ source, report, reconciliation }: ImportResult): string[] {
  const lines = [`Imported from ${source}: ${describeCounts(report.counts)}.`];
  for (const one of report.problems.slice(0, shownProblems)) lines.push(describeRemark(one));
  if (report.problemCount > shownProblems) lines.push(`  … ${report.problemCount} problems in all; see --report.`);
  if (report.hiddenCount > 0) {
    lines.push(`Entries with earlier versions that the source does not show: ${report.hiddenCount}`);
    for (const one of report.hidden.slice(0, shownProblems)) lines.push(describeRemark(one));
    if (report.hiddenCount > shownProblems) lines.push('  … See --report for all of them.');
  }
  if (report.skippedCount > 0)
    lines.push(`${counted(report.skippedCount, 'draft')} left out; --report FILE lists them.`);
  if (report.remarkCount > 0)
    lines.push(
      `${counted(report.remarkCount, 'adaptation')} ${report.remarkCount === 1 ? 'was' : 'were'} made; --report FILE lists them.`,
    );
  if (!reconciliation) return lines;
  const { entriesAtSource, entriesHere, months, differences, differenceCount, sampled, losses } = reconciliation;
  lines.push(
    `Reconciliation: ${entriesAtSource} entries at the source, ${entriesHere} here, in ${counted(months.length, 'pair')} of logbook and month; ${sampled} compared with their earlier versions and files.`,
  );
  for (const { key, field, source: there, here } of differences.slice(0, shownProblems)) {
    lines.push(`  ${key}: ${field}: ${JSON.stringify(there)} at the source, ${JSON.stringify(here)} here`);
  }
  if (differenceCount > shownProblems) lines.push(`  … ${differenceCount} differences in all; see --report.`);
  lines.push(...describeLosses(losses));
  lines.push(
    differenceCount === 0 ? describeEqual(losses, report.problemCount) : `${counted(differenceCount, 'difference')}.`,
  );
  return lines;
}

type Losses = NonNullable<ImportResult['reconciliation']>['losses'];

function describeLosses({ missingImages, textsWithLostWords }: Losses): string[] {
  return [
    ...(missingImages > 0
      ? [`${counted(missingImages, 'image')} in texts ${missingImages === 1 ? 'has' : 'have'} no file.`]
      : []),
    ...(textsWithLostWords > 0 ? [`Words are missing in ${counted(textsWithLostWords, 'text')}.`] : []),
  ];
}

function describeEqual({ attachedOriginals }: Losses, problems: number): string {
  const exception = `, except for formatting such as colours; ${counted(attachedOriginals, 'original')} with it ${attachedOriginals === 1 ? 'is' : 'are'} attached`;
  const equal = `equal${attachedOriginals > 0 ? exception : ''}.`;
  // The comparison omits entries that could not be read.
  if (problems > 0) return `What was compared is ${equal} The import had ${counted(problems, 'problem')}; see above.`;
  return `Both are ${equal}`;
}
