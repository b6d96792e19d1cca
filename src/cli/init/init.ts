import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { findObstacle, findUser, type ServiceUser } from '../../app/service-user.js';
import { tryCertificate, tryConfiguration } from '../../app/try-configuration.js';
import { loadConfig } from '../../config/load-config.js';
import { defaultConfigFileVariable } from '../../kernel/command-hint.js';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import { makeDirectory } from '../../kernel/make-directory.js';
import { syncDirectory } from '../../kernel/sync-directory.js';
import { commandLog } from '../command-log.js';
import { printStatus } from '../status-line.js';
import { UsageError } from '../usage-error.js';
import { type Answers, askAll, type InitFlags } from './answers.js';
import { openQuestions, type Questions } from './questions.js';

const systemUser = 'logbook';
const dropIn = '/etc/systemd/system/logbook.service.d/backups.conf';

/** Asks what a service needs, tests the answers, and writes a configuration that works. */
export async function init(flags: InitFlags): Promise<void> {
  const file = resolve(flags.output ?? process.env[defaultConfigFileVariable] ?? 'logbook.properties');
  const user = findUser(flags.serviceUser ?? systemUser);
  if (flags.serviceUser !== undefined && !user) {
    throw new UsageError(`--service-user ${flags.serviceUser}: this machine has no such user`);
  }
  const questions = openQuestions(flags.yes ?? false);
  try {
    await allowReplacement(file, flags, questions);
    const answers = await askAll(flags, questions);
    const given = process.getuid?.() === 0 ? user : undefined;
    await writeTested(file, answers, given);
    await prepareBackups(answers.backups, given);
    console.log(`Check it: ${given ? `sudo -u ${given.name} ` : ''}logbook check --config ${file}`);
    const unit = given && existsSync('/run/systemd/system') ? 'systemctl enable --now logbook' : undefined;
    console.log(`Start the service: ${unit ?? `logbook serve --config ${file}`}`);
  } finally {
    questions.close();
  }
}

async function allowReplacement(file: string, { overwrite = false }: InitFlags, questions: Questions): Promise<void> {
  if (!existsSync(file) || overwrite) return;
  if (questions.isUnattended) {
    throw new ConfigurationError(`${file} exists. --overwrite replaces it, and keeps the old one as ${file}.old.`);
  }
  const text = `${file} exists. Replace it, and keep the old one as ${file}.old?`;
  const answer = await questions.ask({ flag: '--overwrite', text, suggestion: 'no' });
  if (!/^y(es)?$/i.test(answer)) throw new ConfigurationError(`${file} was not changed.`);
}

/** Writes the files into a folder next to their place, tests them there, and gives them their names together. */
async function writeTested(file: string, answers: Answers, user: ServiceUser | undefined): Promise<void> {
  const dir = dirname(file);
  await makeDirectory(dir, 0o755);
  await checkFiles(answers, user);
  const staging = await mkdtemp(join(dir, '.init-'));
  try {
    const directoryFile = `${answers.signIn}.properties`;
    const texts: [string, string][] = [
      [directoryFile, toProperties(answers.directory)],
      [basename(file), `# Written by “logbook init”.\n${toProperties(settingsOf(answers, directoryFile))}`],
    ];
    for (const [name, text] of texts) {
      await writeFile(join(staging, name), text, { mode: 0o640, flush: true });
      await chmod(join(staging, name), user ? 0o640 : 0o600);
      if (user) await chown(join(staging, name), 0, user.gid);
    }
    const config = loadConfig(
      { flags: {}, properties: {}, configFile: join(staging, basename(file)), isTrial: false },
      {},
    );
    const { testUser: userName, testPassword: password } = answers;
    const found = await tryConfiguration(config.options, { userName, password }, commandLog('error'));
    printStatus(`ok       sign-in: ${found}`);
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

/** @throws ConfigurationError when the certificate cannot be used, or the service's user cannot read a file */
async function checkFiles({ certificate, key, directory }: Answers, user: ServiceUser | undefined): Promise<void> {
  if (certificate !== '') {
    await tryCertificate(certificate, key);
    printStatus('ok       tls: the key belongs to the certificate');
  }
  const ca = directory.find(([name]) => name.endsWith('.ca.file'))?.[1] ?? '';
  for (const file of [certificate, key, ca].filter((one) => one !== '')) {
    const obstacle = user && findObstacle(file, user);
    if (obstacle === undefined) continue;
    const because = obstacle === file ? '' : `, because of ${obstacle}`;
    throw new ConfigurationError(
      `The user ${user?.name} of the service cannot read ${file}${because}. Give it to root:${user?.name} with the mode 0640, or put a copy of it next to the configuration.`,
    );
  }
}

function settingsOf(answers: Answers, directoryFile: string): [string, string][] {
  const { hostname, port } = new URL(`https://${answers.name}`);
  const { signIn, admins, backups } = answers;
  return [
    ['dataDir', answers.dataDir],
    ['host', '0.0.0.0'],
    ['httpPort', 'off'],
    ['httpsPort', port || '8181'],
    ['publicUrl', `https://${hostname}:${port || '8181'}`],
    ['tlsCertificateFile', answers.certificate],
    ['tlsKeyFile', answers.key],
    ['authenticationProviders', signIn],
    [signIn === 'ldap' ? 'ldapPropertySource' : 'activeDirectoryPropertySource', directoryFile],
    ['adminGroups', admins],
    ['backupTarget', backups],
    ['backupAt', backups === '' ? '' : '02:30'],
  ];
}

/** A backslash has a meaning in such a file, and so has a blank at the beginning. */
function toProperties(pairs: readonly (readonly [string, string])[]): string {
  const escaped = (value: string) => value.replaceAll('\\', '\\\\').replace(/^\s/, '\\$&');
  const given = pairs.filter(([, value]) => value !== '');
  return given.map(([key, value]) => `${key} = ${escaped(value)}\n`).join('');
}

/** Creates the directory of the backups for the user of the service, and lets its unit write there. */
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
  await writeFile(dropIn, `[Service]\nReadWritePaths="${dir.replaceAll('%', '%%')}"\n`, { mode: 0o644, flush: true });
  await chmod(dropIn, 0o644);
  await chmod(dirname(dropIn), 0o755);
  printStatus(`ok       systemd: ${dropIn} lets the service write there; run “systemctl daemon-reload”`);
}
