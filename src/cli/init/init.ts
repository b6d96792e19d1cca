import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdtemp, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { firstMissing } from '../../app/keep-owner.js';
import { findObstacle, findUser, type ServiceUser } from '../../app/service-user.js';
import { tryCertificate, tryConfiguration } from '../../app/try-configuration.js';
import { ConfigError } from '../../config/config-error.js';
import { loadConfig } from '../../config/load-config.js';
import { toPropertiesText } from '../../config/properties-file.js';
import { defaultConfigFileVariable } from '../../kernel/command-hint.js';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import { makeDirectory } from '../../kernel/make-directory.js';
import { syncDirectory } from '../../kernel/sync-directory.js';
import { onOneLine } from '../../kernel/text.js';
import { untilAborted } from '../../kernel/with-timeout.js';
import { commandLog } from '../command-log.js';
import { printStatus } from '../status-line.js';
import { UsageError } from '../usage-error.js';
import { type Answers, askAll, type InitFlags } from './answers.js';
import { openQuestions, type Questions } from './questions.js';

const systemUser = 'logbook';
const dropIn = '/etc/systemd/system/logbook.service.d/backups.conf';

/** Asks for everything that a service needs, tests the answers, and writes a working configuration. */
export async function init(flags: InitFlags, stop: AbortSignal): Promise<void> {
  const file = resolve(flags.output ?? process.env[defaultConfigFileVariable] ?? 'logbook.properties');
  const user = findUser(flags.serviceUser ?? systemUser);
  if (flags.serviceUser !== undefined && !user) {
    throw new UsageError(`--service-user ${flags.serviceUser}: this machine has no such user`);
  }
  const questions = openQuestions(flags.yes ?? false, stop);
  try {
    const mayReplace = await allowReplacement(file, flags, questions);
    const answers = await askAll(flags, questions);
    const directoryFile = join(dirname(file), `${answers.signIn}.properties`);
    if (directoryFile === file) throw new UsageError(`--output ${file}: the directory is configured in this file`);
    if (!mayReplace) await allowReplacement(directoryFile, flags, questions);
    const owner = process.getuid?.() === 0 ? user : undefined;
    await checkFiles(answers, owner);
    await withDirectories([dirname(file), answers.backups], async () => {
      await makeDirectory(dirname(file), 0o755);
      await writeTested(file, answers, owner, stop);
    });
    console.log(`Check it: ${owner ? `sudo -u ${owner.name} ` : ''}logbook check --config ${file}`);
    const unit = owner && existsSync('/run/systemd/system') ? 'systemctl enable --now logbook' : undefined;
    console.log(`Start the service: ${unit ?? `logbook serve --config ${file}`}`);
  } finally {
    questions.close();
  }
}

/**
 * Returns whether existing files may be replaced. Asks if this file exists and no flag permits its replacement.
 * @throws ConfigurationError when the file may not be replaced
 */
async function allowReplacement(
  file: string,
  { overwrite = false }: InitFlags,
  questions: Questions,
): Promise<boolean> {
  if (!existsSync(file) || overwrite) return overwrite;
  if (questions.isUnattended) {
    throw new ConfigurationError(`${file} exists. --overwrite replaces it, and keeps the old one as ${file}.old.`);
  }
  const text = `${file} exists. Replace it, and keep the old one as ${file}.old?`;
  const answer = await questions.ask({ flag: '--overwrite', text, suggestion: 'no' });
  if (!/^y(es)?$/i.test(answer)) throw new ConfigurationError(`${file} was not changed.`);
  return true;
}

/** Runs `work`. If it fails, removes the directories that it has created, including their parents. */
async function withDirectories(dirs: readonly string[], work: () => Promise<void>): Promise<void> {
  const missing = dirs.filter((dir) => dir !== '' && !existsSync(dir));
  const tops = await Promise.all(missing.map(firstMissing));
  try {
    await work();
  } catch (error) {
    for (const [index, dir] of missing.entries()) await removeEmpty(dir, tops[index] ?? dir);
    throw error;
  }
}

async function removeEmpty(dir: string, top: string): Promise<void> {
  await rmdir(dir).catch(() => undefined);
  if (dir !== top) await removeEmpty(dirname(dir), top);
}

/** Writes the files into a folder next to their final location, tests them there, and then renames all of them. */
async function writeTested(
  file: string,
  answers: Answers,
  user: ServiceUser | undefined,
  stop: AbortSignal,
): Promise<void> {
  const dir = dirname(file);
  const staging = await mkdtemp(join(dir, '.init-'));
  try {
    const directoryFile = `${answers.signIn}.properties`;
    const texts: [string, string][] = [
      [directoryFile, toPropertiesText(undefined, given(answers.directory))],
      [basename(file), toPropertiesText('# Written by “logbook init”.', given(settingsOf(answers, directoryFile)))],
    ];
    for (const [name, text] of texts) {
      await writeFile(join(staging, name), text, { mode: 0o640, flush: true });
      await chmod(join(staging, name), user ? 0o640 : 0o600);
      if (user) await chown(join(staging, name), 0, user.gid);
    }
    printStatus(`ok       sign-in: ${await untilAborted(stop, () => trySignIn(staging, basename(file), answers))}`);
    // Done before the files are renamed, because this step can fail.
    await prepareBackups(answers.backups, user);
    for (const [name] of texts) {
      if (existsSync(join(dir, name))) await rename(join(dir, name), join(dir, `${name}.old`));
      await rename(join(staging, name), join(dir, name));
    }
    await syncDirectory(dir);
    printStatus(`ok       configuration: ${file}`);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * Returns the user who signed in with the configuration in this folder.
 * @throws ConfigurationError that does not name the folder
 */
async function trySignIn(staging: string, name: string, { testUser, testPassword }: Answers): Promise<string> {
  try {
    const config = loadConfig({ flags: {}, properties: {}, configFile: join(staging, name), isTrial: false }, {});
    const credentials = { userName: testUser, password: testPassword };
    return await tryConfiguration(config.options, credentials, commandLog('error'));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map((problem) => problem.replaceAll(staging, dirname(staging))));
  }
}

/** @throws ConfigurationError when the certificate cannot be used, or the service's user cannot read a file */
async function checkFiles(
  { name, certificate, key, directory }: Answers,
  user: ServiceUser | undefined,
): Promise<void> {
  if (certificate !== '') {
    await tryCertificate(certificate, key);
    printStatus('ok       tls: the key belongs to the certificate');
    checkCertificate(certificate, name);
  }
  const ca = directory.find(([name]) => name.endsWith('.ca.file'))?.[1] ?? '';
  for (const file of [certificate, key, ca].filter((one) => one !== '')) {
    const obstacle = user && findObstacle(file, user);
    if (obstacle === undefined) continue;
    const isFile = obstacle === file;
    const because = isFile ? '' : `, because of ${obstacle}`;
    const remedy = isFile ? `Give it to root:${user?.name} with the mode 0640` : `Let this user enter ${obstacle}`;
    throw new ConfigurationError(
      `The user ${user?.name} of the service cannot read ${file}${because}. ${remedy}, or put a copy of the file next to the configuration.`,
    );
  }
}

/**
 * Warns if the certificate does not contain the name.
 * @throws ConfigurationError when the certificate is not valid now
 */
function checkCertificate(file: string, name: string): void {
  const certificate = new X509Certificate(readFileSync(file));
  const { validFrom, validTo } = certificate;
  if (Date.parse(validTo) <= Date.now()) {
    throw new ConfigurationError(`The certificate in ${file} expired on ${validTo}. Name one that is valid.`);
  }
  if (Date.parse(validFrom) > Date.now()) {
    throw new ConfigurationError(
      `The certificate in ${file} is not valid before ${validFrom}. Check the clock of this machine, or wait.`,
    );
  }
  const host = new URL(`https://${name}`).hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) return;
  const names = certificate.subjectAltName ?? certificate.subject;
  printStatus(
    `WARNING  tls: the certificate is not for ${host}, but for ${onOneLine(names)}. Browsers will refuse it.`,
  );
}

/** Returns the pairs whose value is not empty. */
const given = (pairs: readonly (readonly [string, string])[]) => pairs.filter(([, value]) => value !== '');

function settingsOf(answers: Answers, directoryFile: string): [string, string][] {
  const { hostname } = new URL(`https://${answers.name}`);
  // A URL omits the port 443.
  const port = /:(\d+)$/.exec(answers.name)?.[1] ?? '8181';
  const { signIn, admins, backups } = answers;
  return [
    ['dataDir', answers.dataDir],
    ['host', '0.0.0.0'],
    ['httpPort', 'off'],
    ['httpsPort', String(Number(port))],
    ['publicUrl', new URL(`https://${hostname}:${port}`).origin],
    ['tlsCertificateFile', answers.certificate],
    ['tlsKeyFile', answers.key],
    ['authenticationProviders', signIn],
    [signIn === 'ldap' ? 'ldapPropertySource' : 'activeDirectoryPropertySource', directoryFile],
    ['adminGroups', admins],
    ['backupTarget', backups],
    ['backupAt', backups === '' ? '' : '02:30'],
  ];
}

/** Creates the backup directory for the user of the service, and permits the systemd unit to write there. */
async function prepareBackups(dir: string, user: ServiceUser | undefined): Promise<void> {
  if (dir === '') return;
  const isNew = !existsSync(dir);
  await makeDirectory(dir, 0o700);
  if (user && isNew) await chown(dir, user.uid, user.gid);
  const { uid } = await stat(dir);
  if (user && uid !== user.uid) {
    printStatus(
      `WARNING  backups: ${dir} exists, and does not belong to ${user.name}. Run “chown -R ${user.name}: ${dir}”.`,
    );
  } else printStatus(`ok       backups: ${dir}${isNew ? ' was created' : ''}`);
  if (!user || !existsSync('/run/systemd/system')) return;
  await makeDirectory(dirname(dropIn), 0o755);
  await writeFile(dropIn, `[Service]\nReadWritePaths="${dir.replace(/["\\]/g, '\\$&').replaceAll('%', '%%')}"\n`, {
    mode: 0o644,
    flush: true,
  });
  await chmod(dropIn, 0o644);
  await chmod(dirname(dropIn), 0o755);
  printStatus(`ok       systemd: ${dropIn} lets the service write there; run “systemctl daemon-reload”`);
}
